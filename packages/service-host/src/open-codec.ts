import {
  createCodec,
  EVENT_TYPES,
  type EventCodec,
  type EventType,
  schemaText,
  subjectOf,
} from '@palimpsest/events';
import { RegistryError, type SchemaRegistry } from '@palimpsest/schema-registry';

/**
 * A codec that writes by the ids the registry has for this build's schemas. Registers nothing: throws an error that
 * names what is missing and the command that registers it, or RegistryUnavailable while the registry is down.
 */
export async function openCodec(registry: SchemaRegistry, where: string): Promise<EventCodec> {
  const ids = new Map<EventType, number>();
  const missing: string[] = [];
  await Promise.all(
    EVENT_TYPES.map(async (type) => {
      const subject = subjectOf(type);
      try {
        ids.set(type, await registry.idOf(subject, schemaText(type)));
      } catch (error) {
        if (!(error instanceof RegistryError) || error.status !== 404) throw error;
        missing.push(subject);
      }
    }),
  );
  if (missing.length > 0) {
    const [first, ...others] = missing.toSorted();
    const more = others.length === 0 ? '' : ` and ${others.length} others`;
    throw new Error(
      `The registry at ${where} does not have this build's schema of ${first}${more}: ` +
        'run "palimpsest schemas register" with this build, then start again.',
    );
  }
  return createCodec({ ids, schemaById: (id) => registry.schemaById(id) });
}

/** A URL's address, without user and password. */
export function addressOf(url: string): string {
  return new URL(url).host;
}

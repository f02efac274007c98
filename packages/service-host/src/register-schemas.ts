import { EVENT_TYPES, schemaText, subjectOf } from '@palimpsest/events';
import { createRegistryClient, type SchemaRegistry } from '@palimpsest/schema-registry';

export interface RegisteredSubject {
  subject: string;
  id: number;
}

/**
 * Registers this build's schemas with a registry, or with the one at a URL under FULL_TRANSITIVE; those it knows keep
 * their ids.
 * Rejects at the first one that does not go with its subject's history (409); the ones before it stay.
 */
export async function registerSchemas(where: string | SchemaRegistry): Promise<RegisteredSubject[]> {
  const registry =
    typeof where === 'string'
      ? createRegistryClient({ url: where, compatibility: 'FULL_TRANSITIVE' })
      : where;
  const registered: RegisteredSubject[] = [];
  for (const type of EVENT_TYPES) {
    const subject = subjectOf(type);
    registered.push({ subject, id: await registry.register(subject, schemaText(type)) });
  }
  return registered;
}

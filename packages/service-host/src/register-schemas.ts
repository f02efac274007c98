import { EVENT_TYPES, schemaText, subjectOf } from '@palimpsest/events';
import { createRegistryClient } from '@palimpsest/schema-registry';

export interface RegisteredSubject {
  subject: string;
  id: number;
}

/**
 * Registers this build's schemas, with FULL_TRANSITIVE for each subject; those the registry knows keep their ids.
 * Rejects at the first one that does not go with its subject's history (409); the ones before it stay.
 */
export async function registerSchemas(registryUrl: string): Promise<RegisteredSubject[]> {
  const registry = createRegistryClient({ url: registryUrl, compatibility: 'FULL_TRANSITIVE' });
  const registered: RegisteredSubject[] = [];
  for (const type of EVENT_TYPES) {
    const subject = subjectOf(type);
    registered.push({ subject, id: await registry.register(subject, schemaText(type)) });
  }
  return registered;
}

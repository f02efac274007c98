import {
  createCodec,
  EVENT_TYPES,
  type EventCodec,
  type EventType,
  schemaText,
  subjectOf,
} from '@palimpsest/events';
import { createPostgresRegistry, type SchemaRegistry } from '@palimpsest/schema-registry';
import type { Pool } from 'pg';

/** The codec of a stack, to write to its log and read from it past the API. */
export async function eventCodec(pool: Pool): Promise<{ codec: EventCodec; registry: SchemaRegistry }> {
  const registry = await createPostgresRegistry({ pool });
  const ids = new Map<EventType, number>();
  for (const type of EVENT_TYPES) ids.set(type, await registry.register(subjectOf(type), schemaText(type)));
  return { codec: createCodec({ ids, schemaById: (id) => registry.schemaById(id) }), registry };
}

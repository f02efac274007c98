import type avro from 'avsc';
import { type AvroSchema, parseAvroSchema } from './avro-schema.js';
import type { Compatibility, RegisteredSchema } from './schema-registry.js';

/**
 * BACKWARD: the new schema reads what the old ones wrote. FORWARD: the old ones read what the new one writes. FULL: both.
 * Against the newest version, or against all (TRANSITIVE).
 */
export const COMPATIBILITY_LEVELS = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;
export type CompatibilityLevel = (typeof COMPATIBILITY_LEVELS)[number];

/** History is replayed for years, by readers older and newer than what was written. */
export const DEFAULT_COMPATIBILITY: CompatibilityLevel = 'FULL_TRANSITIVE';

export function isCompatibilityLevel(value: unknown): value is CompatibilityLevel {
  return COMPATIBILITY_LEVELS.includes(value as CompatibilityLevel);
}

/** By Avro's schema resolution (1.11): promotions, defaults, enums with a default, unions, aliases. `versions` ascend. */
export function checkCompatibility(
  schema: AvroSchema,
  versions: readonly RegisteredSchema[],
  level: CompatibilityLevel,
): Compatibility {
  const against = level.endsWith('_TRANSITIVE') ? versions : versions.slice(-1);
  const messages: string[] = [];
  for (const { version, schema: text } of level === 'NONE' ? [] : against) {
    const { type } = parseAvroSchema(text);
    if (!level.startsWith('FORWARD')) {
      const fault = faultOfReading(schema.type, type);
      if (fault !== undefined) messages.push(`the new schema cannot read version ${version}: ${fault}`);
    }
    if (!level.startsWith('BACKWARD')) {
      const fault = faultOfReading(type, schema.type);
      if (fault !== undefined) messages.push(`version ${version} cannot read the new schema: ${fault}`);
    }
  }
  return { ok: messages.length === 0, messages };
}

/** A resolver that can be built reads every value that the writer's schema allows. */
function faultOfReading(reader: avro.Type, writer: avro.Type): string | undefined {
  try {
    reader.createResolver(writer);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Avro schemas by number, so that a record carries five bytes instead of its schema. Registered at deploy time; on the
 * hot path only `schemaById` is asked, once per id.
 *
 * Duties of every implementation, proved by the contract suite (`@palimpsest/schema-registry/contract`):
 * - An id names one schema text for ever and is the same in every subject. Ids start at 1.
 * - Two texts are one schema when they differ in spacing and key order only.
 * - `register` adds a version only when the schema goes with every version before it, in both directions, by Avro's
 *   resolution rules (FULL_TRANSITIVE), else fails with code 409 and changes nothing. Registering a known schema again
 *   answers its id. Concurrent callers get one id and one version.
 * - What is wrong with the question fails with RegistryError and a code; a registry that cannot answer now fails with
 *   RegistryUnavailable, is asked anew by the next call, and answers as soon as it is back.
 *
 * Not promised: that ids have no gaps, and that a registry somebody else runs is set to FULL_TRANSITIVE.
 */
export interface SchemaRegistry {
  /** Id of the schema, which is a version of the subject afterwards. Codes 409, 42201. */
  register(subject: string, schema: string): Promise<number>;
  /** The schema text, as it was registered first. Code 40403 for an id never given. */
  schemaById(id: number): Promise<string>;
  /** Id of a schema that is a version of the subject already. Codes 40401, 40403, 42201. */
  idOf(subject: string, schema: string): Promise<number>;
  /** The newest version of a subject. Code 40401. */
  latest(subject: string): Promise<RegisteredSchema>;
  /** Whether `register` would take it, and if not, why: one message per version and direction. Code 42201. */
  compatible(subject: string, schema: string): Promise<Compatibility>;
}

export interface RegisteredSchema {
  id: number;
  /** From 1, per subject. */
  version: number;
  schema: string;
}

export interface Compatibility {
  ok: boolean;
  messages: string[];
}

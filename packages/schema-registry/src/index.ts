export {
  COMPATIBILITY_LEVELS,
  type CompatibilityLevel,
  DEFAULT_COMPATIBILITY,
} from './check-compatibility.js';
export { createPostgresRegistry, type PostgresRegistry } from './postgres-registry.js';
export { createRegistryClient, type RegistryClientOptions } from './registry-client.js';
export { RegistryError, type RegistryErrorCode, RegistryUnavailable } from './registry-error.js';
export { type RegistryServer, startRegistryServer } from './registry-server.js';
export type { Compatibility, RegisteredSchema, SchemaRegistry } from './schema-registry.js';

export { startPostgres } from './start-postgres.js';
export type { PostgresOptions, RunningPostgres } from './start-postgres.js';

// The schema registry of `packages/schema-registry` as a process of its own, for deployments without one of Confluent's.
// Reads PALIMPSEST_POSTGRES_URL, PALIMPSEST_HOST and PALIMPSEST_PORT (0 = any free one) as services do; keeps its schemas
// in Postgres, so any number may run. It knows no keys: keep it off public interfaces. `GET /subjects` answers when it works.
import pg from 'pg';
import { createPostgresRegistry, startRegistryServer } from '../packages/schema-registry/dist/index.js';
import { API_VARIABLES, readVariables } from '../packages/service-host/dist/index.js';
import { SERVICE_VARIABLES } from '../packages/service-host/dist/settings/variables.js';

const { postgresUrl } = SERVICE_VARIABLES;
const { host, port } = API_VARIABLES;
const CONNECTIONS = 4;

try {
  const settings = readVariables(process.env, { postgresUrl, host, port });
  const pool = new pg.Pool({
    connectionString: settings.postgresUrl,
    max: CONNECTIONS,
    application_name: 'palimpsest-schema-registry',
    connectionTimeoutMillis: 10_000,
  });
  pool.on('error', () => undefined); // an idle connection that breaks is replaced by the next query
  const registry = createPostgresRegistry({ pool });
  const server = await startRegistryServer({ registry, host: settings.host, port: settings.port });
  process.stdout.write(`schema-registry serves at ${server.url}\n`);
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, async () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      await server.stop();
      await pool.end();
      process.exit(0);
    });
  }
} catch (error) {
  process.stderr.write(`schema-registry cannot go on: ${error.message}\n`);
  process.exit(1);
}

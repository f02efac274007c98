import type { EventCodec } from '@palimpsest/events';
import type { EventLog } from '@palimpsest/log';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { createRegistryClient } from '@palimpsest/schema-registry';
import { migrate } from '@palimpsest/views';
import type pg from 'pg';
import { addressOf, openCodec } from './open-codec.js';
import { openPool } from './open-postgres.js';
import { kafkaConnection } from './settings/kafka-connection.js';
import { type ProcessEnvironment, readVariables } from './settings/read-variables.js';
import { KAFKA_VARIABLES, REGISTRY_VARIABLES, STORE_VARIABLES } from './settings/variables.js';

/** The stores of a deployment, for an operator's command beside its services. */
export interface DeploymentStore {
  pool: pg.Pool;
  /** Opens the log when asked; closed by the caller. */
  openLog(): Promise<EventLog>;
  /** By the registry of PALIMPSEST_REGISTRY_URL. */
  openCodec(): Promise<EventCodec>;
  close(): Promise<void>;
}

/** Opens what PALIMPSEST_POSTGRES_URL names, its schema brought up to date. Throws SettingsError where it is not set. */
export async function openDeploymentStore(environment: ProcessEnvironment): Promise<DeploymentStore> {
  const { postgresUrl } = readVariables(environment, STORE_VARIABLES);
  const application = 'palimpsest-command';
  const pool = openPool({ application, url: postgresUrl, connections: 16, idleInTransactionMs: 0 });
  try {
    await migrate(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    pool,
    openLog: () => createKafkaLog(kafkaConnection(application, readVariables(environment, KAFKA_VARIABLES))),
    async openCodec() {
      const { registryUrl } = readVariables(environment, REGISTRY_VARIABLES);
      return openCodec(createRegistryClient({ url: registryUrl }), addressOf(registryUrl));
    },
    close: () => pool.end(),
  };
}

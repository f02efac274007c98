import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RunningCluster, type StartOptions, startCluster } from '../../deploy/kafka-dev/cluster.mjs';

export interface TemporaryCluster extends RunningCluster {
  /** Ends the brokers without ceremony and deletes their data. */
  remove(): Promise<void>;
}

/** A cluster of the test's own, to be killed and restarted at will. */
export async function startTemporaryCluster(
  options: Omit<StartOptions, 'folder'> = {},
): Promise<TemporaryCluster> {
  const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-kafka-'));
  // The first compiler only: a broker that lives for a minute never earns back what the second one costs.
  const cluster = await startCluster({ jvm: ['-XX:TieredStopAtLevel=1'], ...options, folder });
  const remove = async (): Promise<void> => {
    await cluster.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...cluster, remove };
}

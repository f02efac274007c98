import { type Ledger, openLedger } from '@palimpsest/ledger';
import {
  CLICKHOUSE_VARIABLES,
  clickhouseServer,
  EMBEDDED_LEDGER_VARIABLES,
  readVariables,
} from '@palimpsest/service-host';
import { deploymentEnvironment, type Environment } from '../environment.js';
import { CommandError } from '../output.js';
import { openDataFolder, runningInstance } from '../stack/data-folder.js';

/**
 * Runs `work` with the ledger that PALIMPSEST_CLICKHOUSE_URL or PALIMPSEST_CLICKHOUSE_FOLDER names or, without them or
 * with --data, with that of the embedded stack, which must be stopped: one process at a time holds its files.
 */
export async function withLedger<T>(
  environment: Environment,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await open(environment);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

async function open(environment: Environment): Promise<Ledger> {
  if (!environment.dataFolderGiven) {
    const variables = { ...CLICKHOUSE_VARIABLES, ...EMBEDDED_LEDGER_VARIABLES };
    const settings = readVariables(deploymentEnvironment(), variables);
    const server = clickhouseServer(settings);
    if (server !== null) return await openLedger({ kind: 'server', ...server });
    if (settings.clickhouseFolder !== null) {
      return await openLedger({ kind: 'embedded', path: settings.clickhouseFolder });
    }
  }
  const folder = openDataFolder(environment.dataFolder);
  const running = runningInstance(folder);
  if (running !== null) {
    throw new CommandError(
      `A stack runs on ${folder.root} (process ${running.pid}) and holds its ledger: stop it, then call this again.`,
    );
  }
  return await openLedger({ kind: 'embedded', path: folder.clickhouse });
}

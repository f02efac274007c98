import { openLedger } from '@palimpsest/ledger';
import {
  type API_VARIABLES,
  type CLICKHOUSE_VARIABLES,
  clickhouseServer,
  remoteLedger,
  SettingsError,
  type SettingsOf,
} from '@palimpsest/service-host';
import { createLedgerReader } from './ledger-reader.js';
import type { LedgerReader } from './options.js';

type Settings = SettingsOf<typeof API_VARIABLES> & SettingsOf<typeof CLICKHOUSE_VARIABLES>;

/** The ledger of the settings: a ClickHouse server's, or the one embedded in metrics-sink; null where none is named. */
export async function openLedgerReader(
  settings: Settings,
  onStop: (close: () => Promise<unknown>) => void,
): Promise<LedgerReader | null> {
  const { ledgerUrl: url, ledgerToken: token } = settings;
  const server = clickhouseServer(settings);
  if (url !== null && server !== null) {
    throw new SettingsError(
      'PALIMPSEST_LEDGER_URL and PALIMPSEST_CLICKHOUSE_URL are both set: choose one ledger.',
    );
  }
  if ((url === null) !== (token === null)) {
    throw new SettingsError(
      'PALIMPSEST_LEDGER_URL and PALIMPSEST_LEDGER_TOKEN go together: set both, or none.',
    );
  }
  if (url !== null && token !== null) return createLedgerReader(remoteLedger({ url, token }));
  if (server === null) return null;
  const ledger = await openLedger({ kind: 'server', ...server });
  onStop(() => ledger.close());
  return createLedgerReader(ledger);
}

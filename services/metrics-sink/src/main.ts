import { openLedger } from '@palimpsest/ledger';
import {
  BATCH_VARIABLES,
  CLICKHOUSE_VARIABLES,
  clickhouseServer,
  EMBEDDED_LEDGER_VARIABLES,
  runService,
  serveLedger,
  SettingsError,
} from '@palimpsest/service-host';
import { createMetricsSink } from './metrics-sink.js';

await runService({
  name: 'metrics-sink',
  environment: process.env,
  variables: { ...BATCH_VARIABLES, ...CLICKHOUSE_VARIABLES, ...EMBEDDED_LEDGER_VARIABLES },
  async start({ settings, log, pool, decode, metrics, logger, onStop, serves }) {
    const { clickhouseFolder: path, ledgerPort: port, ledgerToken: token } = settings;
    const server = clickhouseServer(settings);
    const embedded = path === null ? null : { kind: 'embedded' as const, path };
    const named = server === null ? embedded : { kind: 'server' as const, ...server };
    if (named === null || (server !== null && embedded !== null)) {
      throw new SettingsError(
        'Set PALIMPSEST_CLICKHOUSE_URL (a server) or PALIMPSEST_CLICKHOUSE_FOLDER (a ledger in this process), and only one of them.',
      );
    }
    const ledger = await openLedger(named);
    onStop(() => ledger.close());
    if (embedded !== null && token !== null) {
      const endpoint = await serveLedger({ ledger, token, port });
      onStop(() => endpoint.close());
      serves('ledger', endpoint.url);
    }
    return createMetricsSink({
      log,
      pool,
      ledger,
      decode,
      metrics,
      logger,
      maxRecords: settings.batchRecords,
    });
  },
});

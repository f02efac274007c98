import { API_VARIABLES, CLICKHOUSE_VARIABLES, runService } from '@palimpsest/service-host';
import { createContextReader } from './context/context-reader.js';
import { createContextApi } from './create-context-api.js';
import { openLedgerReader } from './open-ledger-reader.js';

await runService({
  name: 'context-api',
  environment: process.env,
  variables: { ...API_VARIABLES, ...CLICKHOUSE_VARIABLES },
  // While a batch is accepted, its transaction waits for Kafka.
  transactionsWait: true,
  async start({ settings, log, pool, codec, generation, strategy, metrics, logger, ...host }) {
    const ledger = await openLedgerReader(settings, host.onStop);
    const live = { generation, strategyName: strategy.settings.name, strategyVersion: strategy.version };
    const api = await createContextApi({
      log,
      pool,
      codec,
      context: createContextReader({ pool, live: () => ({ generation, strategy }), now: () => Date.now() }),
      live: () => live,
      ...(ledger === null ? {} : { ledger }),
      metrics,
      logger,
      limits: { requestsPerMinute: settings.requestsPerMinute },
      readiness: { service: host.assertReady },
    });
    host.onStop(() => api.close());
    const url = await api.listen({ host: settings.host, port: settings.port }).catch((cause: unknown) => {
      const where = `PALIMPSEST_HOST and PALIMPSEST_PORT (${settings.host}:${settings.port})`;
      throw new Error(`${where} cannot be listened on: choose others, 0 = any free port.`, { cause });
    });
    host.serves('api', url);
    return { stop: async () => undefined, done: new Promise(() => undefined) };
  },
});

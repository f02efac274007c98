import { API_VARIABLES, CLICKHOUSE_VARIABLES, OBJECT_VARIABLES, runService } from '@palimpsest/service-host';
import { openObjectStore } from '@palimpsest/views';
import { createContextReader } from './context/context-reader.js';
import { createContextApi } from './create-context-api.js';
import { createLiveStrategies } from './live-strategies.js';
import { openLedgerReader } from './open-ledger-reader.js';

await runService({
  name: 'context-api',
  environment: process.env,
  variables: { ...API_VARIABLES, ...CLICKHOUSE_VARIABLES, ...OBJECT_VARIABLES },
  // While a batch is accepted, its transaction waits for Kafka.
  transactionsWait: true,
  async start({ settings, log, pool, codec, metrics, logger, ...host }) {
    const ledger = await openLedgerReader(settings, host.onStop);
    const { objectsUrl, objectsKeyId: keyId, objectsSecret: secret } = settings;
    const strategies = createLiveStrategies(pool);
    const api = await createContextApi({
      log,
      pool,
      codec,
      objects: openObjectStore({ url: objectsUrl, keyId, secret }),
      context: createContextReader({ pool, strategies, now: () => Date.now() }),
      live: () => strategies.current(),
      labelled: (label) => strategies.labelled(label),
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

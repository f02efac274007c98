// A summarizer in a process of its own, to be killed. Started warm; begins at the message "go".
import { createSummarizer } from '@palimpsest/summarizer';
import { decodeEvent, encodeEvent } from '@palimpsest/derivations/testing';
import { keyOf, topicOf } from '@palimpsest/events';
import { createOpenAICompatibleModel } from '@palimpsest/llm';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { createLogger, createMetrics } from '@palimpsest/observability';
import pg from 'pg';

process.on('disconnect', () => process.exit());
process.on('message', ({ url, baseUrl }) => {
  void run(url, baseUrl);
});
process.send({ is: 'warm' });

async function run(url, baseUrl) {
  const pool = new pg.Pool({ connectionString: url, max: 6 });
  const log = await createEmbeddedLog({ pool, listen: url });
  const service = await createSummarizer({
    log,
    pool,
    decode: decodeEvent,
    async append(events) {
      for (const event of events)
        await log.append(topicOf(event.type), [
          { key: keyOf(event), value: Buffer.from(encodeEvent(event)) },
        ]);
    },
    generation: 1,
    strategy: 'test@1',
    model: createOpenAICompatibleModel({ baseUrl, model: 'm' }),
    metrics: createMetrics(),
    logger: createLogger({ name: 'child', level: 'silent' }),
    settings: { block: 4, keepLive: 2, maxTokens: 60, concurrency: 1, pollMs: 20, reclaimMs: 50, graceMs: 0 },
  });
  for (;;) {
    if ((await service.lag()) === 0n && (await service.pendingJobs()) === 0) process.send({ is: 'idle' });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

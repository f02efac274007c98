import { it } from 'vitest';
import { createCodec, EVENT_TYPES, textPart, parseJson, type PalimpsestEvent } from './index.js';
it('bench', async () => {
  const ids = new Map(EVENT_TYPES.map((t, i) => [t, i + 1]));
  const c = createCodec({ ids, schemaById: async () => '' });
  const e: PalimpsestEvent = { type: 'message', event_id: '0190b8a6-7c1e-7d3a-9b1e-000000000001', tenant: 'acme', conversation_id: 'conv-12345', seq: 12n, occurred_at: 1764504000000, client_id: 'c-1', task_id: 't-1', agent: 'support', role: 'user', content: [textPart('The quick brown fox. '.repeat(38))] };
  const b = c.encode(e); console.log('bytes', b.length);
  for (let r = 0; r < 4; r++) { const t = (process.cpuUsage().user+process.cpuUsage().system)/1000; for (let i = 0; i < 200000; i++) c.decode(b); console.log('decode k/s', (200 / ((process.cpuUsage().user+process.cpuUsage().system)/1000 - t) * 1000).toFixed(0)); }
  for (let r = 0; r < 2; r++) { const t = (process.cpuUsage().user+process.cpuUsage().system)/1000; for (let i = 0; i < 100000; i++) c.encode(e); console.log('encode k/s', (100 / ((process.cpuUsage().user+process.cpuUsage().system)/1000 - t) * 1000).toFixed(0)); }
  const body = JSON.stringify({ events: Array.from({ length: 1000 }, (_, i) => ({ type: 'message', event_id: e.event_id, conversation_id: 'c', seq: i, occurred_at: '2026-01-05T10:00:00Z', role: 'user', content: 'The quick brown fox. '.repeat(38) })) });
  for (let r = 0; r < 3; r++) { const t = (process.cpuUsage().user+process.cpuUsage().system)/1000; parseJson(body); console.log('parseJson ms', ((process.cpuUsage().user+process.cpuUsage().system)/1000 - t).toFixed(1), 'of', body.length); }
});

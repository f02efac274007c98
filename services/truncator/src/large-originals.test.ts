import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textPart } from '@palimpsest/events';
import { tokenCounter } from '@palimpsest/tokens';
import { ensureLiveGeneration, findOriginal, openObjectStore } from '@palimpsest/views';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyOf } from '../../../test/harness/fold-in-memory.js';
import { History } from '../../../test/harness/histories.js';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { foldBatch } from './fold-batch.js';
import { HotStates } from './hot-states.js';
import { toEntry } from './to-entry.js';

const strategy = strategyOf('name: small\ncut: { tool_result_tokens: 64, message_tokens: 200 }\n');
const counter = tokenCounter();
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase({ migrated: true });
  await ensureLiveGeneration(database.pool, { ...strategy, name: 'small' });
  folder = await mkdtemp(join(tmpdir(), 'originals-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const image = (data: string, url: string | null = null) => ({
  kind: 'image' as const,
  text: null,
  mime: 'image/png',
  data,
  url,
  signature: null,
});

function entryOf(content: Parameters<History['message']>[1]) {
  const history = new History('images');
  history.message('user', content);
  const [event] = history.events;
  if (event?.type !== 'message') throw new Error('no message');
  const { held, artifact } = toEntry(event, { order: 1n, offset: 0n }, strategy.settings, counter);
  return { entry: held.entry, artifact };
}

describe('large originals', () => {
  it('go to the object store on their way through the truncator, and come back as they were', async () => {
    const objects = openObjectStore({ url: `file://${folder}`, keyId: null, secret: null });
    const text = `${'a line of a very long log, їжак 👍\n'.repeat(50_000)}end`;
    const history = new History('large');
    history.call('c', 'read', '{}');
    history.result('c', text);
    const tx = await database.pool.connect();
    await tx.query('begin');
    const records = history.events.map((event, offset) => ({
      event,
      record: {
        topic: 'chat.messages',
        partition: 0,
        offset: BigInt(offset),
        key: null,
        value: null,
        headers: {},
        timestamp: 0,
      },
    }));
    await foldBatch(
      tx,
      records as unknown as Parameters<typeof foldBatch>[1],
      { generation: 1, partition: 0 } as Parameters<typeof foldBatch>[2],
      {
        settings: strategy.settings,
        counter,
        hot: new HotStates(),
        metrics: { conflicts_total: { inc: () => {} } } as never,
        objects,
      },
    );
    await tx.query('commit');
    tx.release();
    const { rows } = await database.pool.query('select artifact_id, content from palimpsest.artifacts');
    expect(rows).toEqual([{ artifact_id: expect.any(String), content: null }]);
    const original = await findOriginal(
      database.pool,
      { generation: 1, tenant: 'acme', id: String(rows[0].artifact_id) },
      objects,
    );
    expect(original?.text === text).toBe(true);
  });
});

describe('an image too large for an entry', () => {
  it('is shown as a note with its kind, size, price and handle; its bytes are the original', () => {
    const data = 'iVBORw0K'.repeat(10_000);
    const { entry, artifact } = entryOf([textPart('see'), image(data)]);
    expect(entry.parts?.[1]).toEqual({
      kind: 'text',
      text: `[… image/png, about 60000 bytes, about 1600 tokens as an image, not shown; original: artifact ${artifact?.id}]`,
    });
    expect(entry.artifact).toBe(artifact?.id);
    expect(JSON.parse(artifact?.content ?? '')).toEqual([
      { kind: 'text', text: 'see' },
      { kind: 'image', mime: 'image/png', data, url: null },
    ]);
  });

  it('keeps its handle where the text beside it is cut, too', () => {
    const { entry, artifact } = entryOf([textPart('word '.repeat(2_000)), image('A'.repeat(100_000))]);
    expect(entry.tokens).toBeLessThanOrEqual(200);
    expect(JSON.stringify(entry.parts)).toContain(`original: artifact ${artifact?.id}`);
    expect(artifact?.content).toContain('word word');
  });

  it('stays an image where it has an address, and one small enough as it is', () => {
    const url = 'https://example.org/a.png';
    expect(entryOf([image('A'.repeat(100_000), url)]).entry.parts).toEqual([
      { kind: 'image', mime: 'image/png', data: null, url },
    ]);
    expect(entryOf([image('AA==')])).toMatchObject({ artifact: null, entry: { parts: [{ data: 'AA==' }] } });
  });
});

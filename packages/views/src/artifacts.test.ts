import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { findOriginal } from './artifacts.js';

let db: TestDatabase;
const PLAIN = '00000000-0000-4000-8000-000000000001';
const CUT = '00000000-0000-4000-8000-000000000002';
const FOREIGN = '00000000-0000-4000-8000-000000000003';

beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  await db.pool.query('select palimpsest.create_generation_partitions(1)');
  const entries = [
    [PLAIN, { text: 'hello' }],
    [CUT, { text: 'hel…', artifact: 'hash-1' }],
    [
      FOREIGN,
      {
        text: '',
        parts: [
          { kind: 'text', text: 'a' },
          { kind: 'image', url: 'x' },
          { kind: 'text', text: 'b' },
        ],
      },
    ],
  ] as const;
  for (const [id, entry] of entries) {
    await db.pool.query(
      `insert into palimpsest.messages (generation, tenant, conversation_id, event_id, ord, "offset", kind, tokens,
         original_tokens, entry, occurred_at) values (1, 'acme', 'c', $1, $3, $3, 'message', 1, 1, $2, now())`,
      [id, JSON.stringify(entry), id.slice(-1)],
    );
    if (id === FOREIGN) continue;
    await db.pool.query(
      `insert into palimpsest.accepted_events (tenant, event_id, conversation_id, digest, topic, partition, "offset")
       values ('acme', $1, 'c', '\\x00', 'chat.messages', 0, 1)`,
      [id],
    );
  }
  await db.pool.query(
    `insert into palimpsest.artifacts (generation, tenant, artifact_id, conversation_id, mime, size_bytes, content)
     values (1, 'acme', 'hash-1', 'c', 'application/json', 5, 'hello, whole')`,
  );
});
afterAll(() => db.drop());

const find = (id: string, more: { tenant?: string; conversation?: string; generation?: number } = {}) =>
  findOriginal(db.pool, { generation: 1, tenant: 'acme', id, ...more });

describe('findOriginal', () => {
  it('finds an artifact by its id', async () => {
    expect(await find('hash-1')).toEqual({
      id: 'hash-1',
      conversationId: 'c',
      mime: 'application/json',
      text: 'hello, whole',
    });
  });

  it('finds the text of a message that was not cut', async () => {
    expect(await find(PLAIN)).toMatchObject({ id: PLAIN, mime: 'text/plain', text: 'hello' });
  });

  it('finds the artifact behind a message that was cut', async () => {
    expect(await find(CUT)).toMatchObject({ id: 'hash-1', text: 'hello, whole' });
  });

  it('finds a message that did not come through the API where its conversation is given', async () => {
    expect(await find(FOREIGN)).toBeNull();
    expect(await find(FOREIGN, { conversation: 'c' })).toMatchObject({ text: 'a\nb' });
  });

  it('finds nothing of another tenant, conversation or generation', async () => {
    for (const id of ['hash-1', PLAIN, CUT]) {
      expect(await find(id, { tenant: 'other' })).toBeNull();
      expect(await find(id, { conversation: 'd' })).toBeNull();
      expect(await find(id, { generation: 2 })).toBeNull();
    }
  });
});

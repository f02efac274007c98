import { type ChatEvent, textPart } from '@palimpsest/events';
import { type Entry, readState } from '@palimpsest/strategy';
import { ensureLiveGeneration } from '@palimpsest/views';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyOf } from '../../../test/harness/fold-in-memory.js';
import { History } from '../../../test/harness/histories.js';
import { freshDatabase } from '../../../test/harness/postgres.js';
import { foldInBatches, rowsOf } from '../../../test/harness/fold-in-batches.js';

const strategy = strategyOf(
  'name: small\nwindow: { pinned_first: 0, inline_tokens: 500 }\ncut: { tool_result_tokens: 64, tool_call_tokens: 64, message_tokens: 200 }\n',
);
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase({ migrated: true });
  pool = database.pool;
  await ensureLiveGeneration(pool, { ...strategy, name: 'small' });
});
afterAll(() => database.drop());

async function stateOf(conversation: string, tenant = 'acme') {
  const { rows } = await pool.query<{ state: string }>(
    'select state from palimpsest.context_views where conversation_id = $1 and tenant = $2',
    [conversation, tenant],
  );
  return readState(rows[0]?.state ?? '');
}
/** Entries that a pin brings back. */
async function pinnedBy(conversation: string, id: string): Promise<Entry[]> {
  return ((await stateOf(conversation)).pins.get(id)?.held ?? []).map(({ entry }) => entry);
}
function talk(history: History, turns: number): void {
  for (let turn = 0; turn < turns; turn += 1) history.message('user', `turn ${turn} ${'word '.repeat(30)}`);
}

describe('pins', () => {
  it('bring back a cut message byte for byte', async () => {
    const history = new History('cut');
    const text = `  ${'Zeile \t Überraschung 😀 \r\n'.repeat(200)}end `;
    const id = history.message('user', text);
    talk(history, 20);
    history.pin(id);
    await foldInBatches(pool, strategy, history.events);
    expect((await pinnedBy('cut', id)).map((entry) => entry.text)).toEqual([text]);
  });

  it('bring back every part of a message that was cut', async () => {
    const history = new History('parts');
    const image = {
      kind: 'image' as const,
      text: null,
      mime: 'image/png',
      data: 'AA==',
      url: null,
      signature: null,
    };
    const content = [textPart('one '.repeat(300)), image, textPart('two '.repeat(300))];
    const id = history.message('user', content);
    talk(history, 20);
    history.pin(id);
    await foldInBatches(pool, strategy, history.events);
    const [entry] = await pinnedBy('parts', id);
    expect(entry?.parts?.map((part) => ('text' in part ? part.text : part.data))).toEqual([
      'one '.repeat(300),
      'AA==',
      'two '.repeat(300),
    ]);
  });

  it('bring back the whole step of a call, the pinned pair as it was', async () => {
    const history = new History('step');
    const call = history.call('a', 'search', '{}', 's');
    history.call('b', 'search', '{}', 's');
    history.result('a', 'alpha '.repeat(300));
    const result = history.result('b', 'beta '.repeat(300));
    talk(history, 20);
    history.pin(call);
    history.pin(result);
    await foldInBatches(pool, strategy, history.events);
    const byCall = await pinnedBy('step', call);
    expect(byCall.map((entry) => [entry.kind, entry.call_id])).toEqual([
      ['tool_call', 'a'],
      ['tool_call', 'b'],
      ['tool_result', 'a'],
      ['tool_result', 'b'],
    ]);
    expect(byCall[2]?.text).toBe('alpha '.repeat(300));
    expect((await pinnedBy('step', result))[3]?.text).toBe('beta '.repeat(300));
  });

  it('give the same for every batch boundary, a second result of a pinned call among them', async () => {
    for (const [name, ends] of [
      ['whole', []],
      ['split', [1, 2, 3, 4, 5, 6, 7]],
    ] as const) {
      const history = new History(`twice-${name}`);
      const call = history.call('a', 'search', '{}', 's');
      history.pin(call);
      history.result('a', 'first answer');
      history.call('b', 'search', '{}', 's');
      history.result('a', 'second answer');
      history.result('b', 'other');
      talk(history, 2);
      await foldInBatches(pool, strategy, history.events, ends, true);
    }
    const [whole, split] = await Promise.all([rowsOf(pool, 'twice-whole'), rowsOf(pool, 'twice-split')]);
    expect(split).toBe(whole);
  });

  it('take the last word by order, name only messages of their own conversation, and wait for unknown ones', async () => {
    const other = new History('other');
    const foreign = '00000000-0000-4000-8000-00000000aaaa';
    other.message('user', 'secret');
    (other.events[0] as ChatEvent).event_id = foreign;
    const history = new History('own', 'acme', true);
    const id = history.message('user', 'keep me');
    history.pin(id);
    history.unpin(id);
    history.pin(foreign);
    const [message, pin, unpin, pinForeign] = history.events as [ChatEvent, ChatEvent, ChatEvent, ChatEvent];
    await foldInBatches(pool, strategy, [...other.events, unpin, pin, message, pinForeign], [2]);
    const state = await stateOf('own');
    expect(state.pins.get(id)).toMatchObject({ pinned: false, held: [] });
    expect(state.pins.get(foreign)).toMatchObject({ pinned: true, held: [] });
  });
});

describe('one batch', () => {
  it('of several tenants and conversations with the same ids keeps them apart', async () => {
    const places = [
      ['acme', 'shared'],
      ['globex', 'shared'],
      ['acme', 'shared-2'],
    ] as const;
    const events = places.flatMap(([tenant, conversation]) => {
      const history = new History(conversation, tenant);
      history.message('user', `${tenant} in ${conversation}.`);
      history.call('c', 'search', '{}');
      history.result('c', `${tenant} ${conversation} `.repeat(100));
      return history.events;
    });
    await foldInBatches(pool, strategy, events);
    for (const [tenant, conversation] of places) {
      const rows = await rowsOf(pool, conversation, tenant);
      for (const [otherTenant, otherConversation] of places) {
        const shown = rows.includes(`${otherTenant} in ${otherConversation}.`);
        expect(shown).toBe(tenant === otherTenant && conversation === otherConversation);
      }
    }
  });

  it('reports a claimed seq though another conversation has an event of that id', async () => {
    const here = new History('claims', 'acme', true);
    here.message('user', 'a');
    here.message('user', 'b');
    const there = new History('claims-2', 'acme', true);
    there.message('user', 'x');
    there.message('user', 'y');
    const [a, b] = here.events as [ChatEvent, ChatEvent];
    const [x, y] = there.events as [ChatEvent, ChatEvent];
    // y claims the seq of x; b, which has the id of y, comes again in the same batch.
    await foldInBatches(pool, strategy, [a, b, x, b, { ...y, seq: 0n }], [3]);
    const { rows } = await pool.query(
      `select conversation_id from palimpsest.conflicts where conversation_id like 'claims%'`,
    );
    expect(rows).toEqual([{ conversation_id: 'claims-2' }]);
  });

  it('reports the same conflicts in one batch as in several', async () => {
    for (const [name, ends] of [
      ['one', []],
      ['many', [1, 2, 3, 4, 5]],
    ] as const) {
      const history = new History(`conflict-${name}`, 'acme', true);
      for (let n = 0; n < 6; n += 1) history.message('user', `m${n}`);
      const events = history.events.map((event, n) => ({
        ...event,
        seq: n === 3 ? 1n : n === 4 ? null : event.seq,
      }));
      await foldInBatches(pool, strategy, [...events, events[3] as ChatEvent], ends);
    }
    expect(await rowsOf(pool, 'conflict-many')).toBe(await rowsOf(pool, 'conflict-one'));
    expect((await stateOf('conflict-one')).conflicts).toBe(2);
  });
});

describe('odd events', () => {
  it('with NUL or half a character in any field are stored, and a pin of their call works', async () => {
    const history = new History('nul');
    const bad = 'a\0b\ud83d';
    const parts = [
      { ...textPart(bad), kind: 'thinking' as const, signature: bad },
      { kind: 'image' as const, text: null, mime: bad, data: null, url: bad, signature: null },
    ];
    history.message('assistant', parts);
    const call = history.call(bad, bad, bad, bad);
    history.result(bad, bad);
    history.pin(call);
    const events = history.events.concat({
      ...history.events[0],
      type: 'state_patch',
      patch: bad,
      event_id: '00000000-0000-4000-8000-0000000000ff',
    } as unknown as ChatEvent);
    await foldInBatches(pool, strategy, events, [2, 4], true);
    const rows = await rowsOf(pool, 'nul');
    expect(rows).not.toMatch(/\\u0000|\\ud83d/);
    expect(await pinnedBy('nul', call)).toHaveLength(2);
  });

  it('of no known role, without content or with thinking alone are rows like all others', async () => {
    const history = new History('odd');
    history.message('user', []);
    history.message('assistant', [{ ...textPart('hm'), kind: 'thinking' as const, signature: null }]);
    history.message('user', 'who');
    (history.events[2] as { role: string }).role = 'unknown';
    const erasure = {
      ...history.events[0],
      type: 'erasure_requested',
      event_id: '00000000-0000-4000-8000-0000000000fe',
    };
    await foldInBatches(pool, strategy, [...history.events, erasure as unknown as ChatEvent]);
    expect((await stateOf('odd')).window.map(({ entry }) => [entry.role, entry.text])).toEqual([
      ['user', ''],
      ['assistant', ''],
      ['user', 'who'],
    ]);
  });

  it('of several parts are cut as well, so that a row stays small', async () => {
    const history = new History('large');
    history.call('c', 'read', '{}');
    history.result('c', 'x');
    const result = history.events[1] as { content: unknown };
    result.content = [textPart('lorem ipsum '.repeat(200_000)), textPart('dolor '.repeat(400_000))];
    await foldInBatches(pool, strategy, history.events);
    const { rows } = await pool.query<{ length: number }>(
      'select length(state) from palimpsest.context_views where conversation_id = $1',
      ['large'],
    );
    expect(rows[0]?.length).toBeLessThan(5000);
  });
});

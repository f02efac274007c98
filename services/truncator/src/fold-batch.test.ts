import type { ChatEvent } from '@palimpsest/events';
import { emptyState, writeState } from '@palimpsest/strategy';
import { ensureLiveGeneration } from '@palimpsest/views';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldEvents, strategyOf } from '../../../test/harness/fold-in-memory.js';
import { histories, History } from '../../../test/harness/histories.js';
import { freshDatabase } from '../../../test/harness/postgres.js';
import { foldInBatches, rowsOf } from '../../../test/harness/fold-in-batches.js';

const strategy = strategyOf(
  'name: small\nwindow: { pinned_first: 2, inline_tokens: 500 }\ncut: { tool_result_tokens: 64 }\n',
);
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase({ migrated: true });
  pool = database.pool;
  await ensureLiveGeneration(pool, { ...strategy, name: 'small' });
});
afterAll(() => database.drop());

const fold = (events: readonly ChatEvent[], ends: readonly number[], cold = false): Promise<void> =>
  foldInBatches(pool, strategy, events, ends, cold);
const rows = (conversation: string): Promise<string> => rowsOf(pool, conversation);

let conversations = 0;
/** The same history under a conversation id of its own, so that runs do not meet. */
function renamed(events: readonly ChatEvent[]): { id: string; events: ChatEvent[] } {
  conversations += 1;
  const id = `c-${conversations}`;
  return { id, events: events.map((event) => ({ ...event, conversation_id: id })) };
}

describe('the truncator', () => {
  it('gives the same bytes for every batch boundary, hot or cold, with and without redelivery', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories({ pins: true, control: true, maxNotes: 14 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 6 }),
        fc.boolean(),
        async (history, cuts, cold) => {
          const once = renamed(history);
          await fold(once.events, []);
          const split = renamed(history);
          const again = [...split.events, ...split.events];
          await fold(
            again,
            cuts.toSorted((a, b) => a - b),
            cold,
          );
          expect((await rows(split.id)).replaceAll(split.id, '')).toBe(
            (await rows(once.id)).replaceAll(once.id, ''),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps in its row what the pure fold of the same events gives', async () => {
    await fc.assert(
      fc.asyncProperty(histories({ pins: true, control: true, maxNotes: 14 }), async (history) => {
        const { id, events } = renamed(history);
        await fold(events, [3, 5]);
        const view = await pool.query<{ state: string }>(
          'select state from palimpsest.context_views where conversation_id = $1',
          [id],
        );
        expect(view.rows[0]?.state ?? writeState(emptyState())).toBe(
          writeState(foldEvents(events, strategy).state),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('writes one row for an event that comes twice in one batch', async () => {
    const history = new History();
    history.message('user', 'a');
    history.message('user', 'b');
    const { id, events } = renamed(history.events);
    await fold([...events, events[0] as ChatEvent], []);
    const { rows: found } = await pool.query(
      'select entry from palimpsest.messages where conversation_id = $1',
      [id],
    );
    expect(found).toHaveLength(2);
  });

  it('reports a seq that two events claim, and an event without seq among those with one', async () => {
    const history = new History('c', 'acme', true);
    history.message('user', 'a');
    history.message('user', 'b');
    history.message('user', 'c');
    const { id, events } = renamed(history.events);
    const [a, b, c] = events as [ChatEvent, ChatEvent, ChatEvent];
    await fold([a, { ...b, seq: 0n }, { ...c, seq: null }], []);
    const { rows: found } = await pool.query<{ reason: string }>(
      'select reason from palimpsest.conflicts where conversation_id = $1 order by "offset"',
      [id],
    );
    expect(found.map((row) => row.reason)).toEqual([
      'seq 0 is taken by another event',
      'the conversation is ordered by seq, this event carries none',
    ]);
  });

  it('brings the original of a pinned message back after it has left the window', async () => {
    const history = new History();
    history.message('user', 'hello');
    history.message('user', 'first things');
    history.message('assistant', 'ok');
    const wanted = history.message('user', 'the code word is heron');
    for (let turn = 0; turn < 60; turn += 1)
      history.message('assistant', `turn ${turn} ${'word '.repeat(20)}`);
    history.pin(wanted);
    const { id, events } = renamed(history.events);
    await fold(events, [50]);
    const view = await pool.query<{ state: string }>(
      'select state from palimpsest.context_views where conversation_id = $1',
      [id],
    );
    const state = JSON.parse(view.rows[0]?.state ?? '{}') as {
      pins: { entries: { text: string }[] }[];
      window: { text: string }[];
    };
    expect(state.window.map((entry) => entry.text)).not.toContain('the code word is heron');
    expect(state.pins[0]?.entries[0]?.text).toBe('the code word is heron');
  });
});

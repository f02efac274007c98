import { type ChatEvent, textPart } from '@palimpsest/events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldChatEvent, type Trigger } from './fold-chat-event.js';
import { emptyFoldState, type FoldState } from './fold-state.js';

const settings = { block: 4, keepLive: 2 };
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const envelope = (n: number, seq: bigint | null = null) => ({
  event_id: id(n),
  tenant: 't',
  conversation_id: 'c',
  seq,
  occurred_at: n,
  client_id: null,
  task_id: null,
  agent: null,
});
type Said = (n: number, seq?: bigint | null) => ChatEvent;
const says =
  (role: 'system' | 'user'): Said =>
  (n, seq = null) => ({ ...envelope(n, seq), type: 'message', role, content: [textPart('x')] });
const user = says('user');
const system = says('system');
const call =
  (callId: string, step: string | null = null): Said =>
  (n, seq = null) => ({
    ...envelope(n, seq),
    type: 'tool_call',
    call_id: callId,
    tool: 't',
    arguments: '{}',
    step_id: step,
  });
const result =
  (callId: string): Said =>
  (n, seq = null) => ({
    ...envelope(n, seq),
    type: 'tool_result',
    call_id: callId,
    content: [],
    content_type: null,
    is_error: false,
  });
const pin =
  (type: 'pin' | 'unpin', of: number): Said =>
  (n) => ({ ...envelope(n), type, message_id: id(of) });
const flags =
  (verbatim: boolean): Said =>
  (n) => ({
    ...envelope(n),
    type: 'conversation_settings',
    agent_type: null,
    model: null,
    language: 'uk',
    time_zone: null,
    verbatim,
    full_context: null,
  });

/** Given events, in log order from offset 0: the ranges that became due, as [from, to, seen]. */
function fold(
  events: ChatEvent[],
  state: FoldState = emptyFoldState(),
): { due: number[][]; state: FoldState; triggers: Trigger[] } {
  const triggers = events.flatMap((event, offset) => foldChatEvent(state, event, BigInt(offset), settings));
  return {
    due: triggers.map((one) => [Number(one.from), Number(one.to), Number(one.seenOffset)]),
    state,
    triggers,
  };
}
const build = (...makers: Said[]): ChatEvent[] => makers.map((make, n) => make(n));
const users = (n: number): Said[] => Array.from({ length: n }, () => user);

describe('the fold that finds due blocks', () => {
  it('waits until a block and the live part are there', () => {
    expect(fold(build(...users(5))).due).toEqual([]);
    expect(fold(build(...users(6))).due).toEqual([[0, 3, 5]]);
  });

  it('cuts the next block where the last one ended', () => {
    expect(fold(build(...users(10))).due).toEqual([
      [0, 3, 5],
      [4, 7, 9],
    ]);
  });

  it('does not count rules', () => {
    expect(fold(build(system, ...users(5))).due).toEqual([]);
  });

  it('leaves pinned messages out, and names them', () => {
    const { triggers } = fold(build(user, pin('pin', 0), ...users(6)));
    expect(triggers).toMatchObject([{ from: 0n, to: 5n, pinned: [id(0)] }]);
  });

  it('asks again for a block whose pinned message was unpinned, together with the next block', () => {
    const { due } = fold(build(user, pin('pin', 0), ...users(6), pin('unpin', 0), ...users(4)));
    expect(due).toEqual([
      [0, 5, 7],
      [6, 10, 12],
      [0, 5, 12],
    ]);
  });

  it('asks nothing while the conversation is verbatim, and catches up after', () => {
    expect(fold(build(flags(true), ...users(10))).due).toEqual([]);
    const { due, triggers } = fold(build(flags(true), ...users(6), flags(false)));
    expect(due).toEqual([[0, 4, 7]]);
    expect(triggers[0]?.language).toBe('uk');
  });

  it('shrinks a block that would split a call from its result', () => {
    expect(fold(build(user, user, user, call('a'), result('a'), user)).due).toEqual([[0, 2, 5]]);
  });

  it('extends a block when shrinking is not needed because more is there', () => {
    const makers = [flags(true), user, user, user, call('a'), result('a'), user, user, user, flags(false)];
    expect(fold(build(...makers)).due[0]).toEqual([0, 5, 9]);
  });

  it('keeps the parallel calls of a step together', () => {
    const makers = [user, user, call('a', 's'), result('a'), call('b', 's'), result('b'), user, user];
    expect(fold(build(...makers)).due[0]).toEqual([0, 1, 5]);
  });

  it('never takes an open call: what is behind it waits, then goes on after it', () => {
    expect(fold(build(user, user, call('a'), ...users(3))).due).toEqual([[0, 1, 5]]);
    const { due, state } = fold(build(call('a'), ...users(6)));
    expect(due).toEqual([[1, 4, 6]]);
    expect(state.abandoned).toEqual(['a']);
  });

  it('keeps the late result of a call left behind out of every block', () => {
    const { due } = fold(build(call('a'), ...users(6), result('a'), ...users(8)));
    expect(due.every(([from, to]) => !(from! <= 7 && 7 <= to!))).toBe(true);
    expect(due.length).toBeGreaterThan(1);
  });

  it('asks again for a block that a late event fell into, together with the next block', () => {
    const events = [10, 20, 30, 40, 50, 60, 25, 70, 80, 90, 100].map((seq, n) => user(n, BigInt(seq)));
    expect(fold(events).due).toEqual([
      [0, 40, 5],
      [41, 80, 10],
      [0, 40, 10],
    ]);
  });

  it('takes an event that was appended twice once', () => {
    const events = build(...users(6));
    expect(fold([...events.slice(0, 4), ...events.slice(0, 4), events[4]!]).due).toEqual([]);
  });

  it('forgets an erased conversation', () => {
    const { due, state } = fold(
      build((n) => ({ ...envelope(n), type: 'erasure_requested', reason: null }), ...users(20)),
    );
    expect(due).toEqual([]);
    expect(state.waiting).toEqual([]);
  });
});

describe('for any conversation', () => {
  const step = fc.constantFrom<(n: number) => Said>(
    () => user,
    () => user,
    () => system,
    (n) => call(`c${n % 5}`),
    (n) => result(`c${n % 5}`),
    (n) => result(`c${(n + 3) % 5}`),
    (n) => call(`p${n}`, `s${n % 7}`),
    (n) => pin('pin', Math.max(0, n - 3)),
    (n) => pin('unpin', Math.max(0, n - 6)),
  );
  const conversation = fc
    .tuple(
      fc.array(step, { maxLength: 80 }),
      fc.boolean(),
      fc.infiniteStream(fc.integer({ min: -6, max: 0 })),
    )
    .map(([steps, withSeq, jitter]) =>
      steps.map((make, n) => {
        const late = jitter.next().value ?? 0;
        return make(n)(n, withSeq ? BigInt(Math.max(0, n * 10 + late * 10) + (n % 10)) : null);
      }),
    );

  it('first-time ranges follow each other without overlap, and a range asked for again has new input', () => {
    fc.assert(
      fc.property(conversation, (events) => {
        const { triggers } = fold(events);
        let border = -1n;
        const seen = new Map<string, bigint>();
        for (const { from, to, seenOffset } of triggers) {
          const range = `${from}-${to}`;
          const before = seen.get(range);
          if (before === undefined) {
            expect(from).toBeGreaterThan(border);
            expect(to).toBeGreaterThanOrEqual(from);
            border = to;
          } else expect(seenOffset).toBeGreaterThan(before);
          seen.set(range, seenOffset);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('no block holds an open call or splits a pair, among what waited when it was cut', () => {
    fc.assert(
      fc.property(conversation, (events) => {
        const state = emptyFoldState();
        const inOrder: { item: ChatEvent; order: bigint }[] = [];
        events.forEach((event, offset) => {
          const before = new Set(state.waiting.map((item) => item.id));
          const triggers = foldChatEvent(state, event, BigInt(offset), settings);
          inOrder.push({ item: event, order: event.seq ?? BigInt(offset) });
          before.add(event.event_id);
          const first = triggers[0];
          if (first === undefined) return;
          const pinned = new Set(first.pinned);
          const waited = inOrder
            .filter(
              ({ item }) =>
                before.has(item.event_id) && !(item.event_id in state.pins) && !pinned.has(item.event_id),
            )
            .toSorted((a, b) => Number(a.order - b.order));
          const inside = (order: bigint): boolean => first.from <= order && order <= first.to;
          for (const { item, order } of waited) {
            if (item.type !== 'tool_call') continue;
            const next = waited.find(
              (other) =>
                other.order > order &&
                (other.item.type === 'tool_call' || other.item.type === 'tool_result') &&
                other.item.call_id === item.call_id,
            );
            const isClosed = next?.item.type === 'tool_result';
            if (inside(order)) expect(isClosed && inside(next.order)).toBe(true);
            else if (isClosed) expect(inside(next.order)).toBe(false);
          }
        });
      }),
      { numRuns: 200 },
    );
  });

  it('the state survives JSON at every event: a restart changes nothing', () => {
    fc.assert(
      fc.property(conversation, (events) => {
        const whole = fold(events);
        let state = emptyFoldState();
        const due = events.flatMap((event, offset) => {
          state = JSON.parse(JSON.stringify(state)) as FoldState;
          return foldChatEvent(state, event, BigInt(offset), settings);
        });
        expect(due).toEqual(whole.triggers);
        expect(JSON.stringify(state)).toBe(JSON.stringify(whole.state));
      }),
      { numRuns: 50 },
    );
  });
});

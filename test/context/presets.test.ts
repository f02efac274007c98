import { type Fact, FloorError, KillSwitchError, RulesError, type SummaryLeaf } from '@palimpsest/strategy';
import { describe, expect, it } from 'vitest';
import { contextOf, counter, foldEvents } from '../harness/fold-in-memory.js';
import { History } from '../harness/histories.js';
import { preset, talk, textsOf } from '../harness/presets.js';

const leaf = (from: number, to: number, text: string): SummaryLeaf => ({
  from: BigInt(from),
  to: BigInt(to),
  seen: 10_000n,
  text,
  carried: [],
});
const fact = (payload: string): Fact => ({
  type: 'deadline',
  actor: 'client',
  subject: 'lease',
  payload,
  validUntil: Date.UTC(2026, 4, 1),
  sourceOrder: 1n,
});

describe('sliding-window: the first messages and the last', () => {
  it('shows the first three and the last twenty, whatever lies between', () => {
    const strategy = preset('sliding-window');
    const context = contextOf(foldEvents(talk(100, 10).events, strategy), strategy, 32_000);
    const turns = textsOf(context).map((text) => Number(/turn (\d+)/.exec(text)?.[1]));
    expect(turns).toEqual([0, 1, 2, ...Array.from({ length: 20 }, (_, n) => 80 + n)]);
  });

  it('shows no message twice where the first and the last overlap', () => {
    const strategy = preset('sliding-window');
    for (const turns of [1, 3, 20, 21, 22, 23, 24]) {
      const context = contextOf(foldEvents(talk(turns, 10).events, strategy), strategy, 32_000);
      const texts = textsOf(context);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts).toHaveLength(Math.min(turns, 23));
    }
  });
});

describe('three-tier: cutting, then a window, then memory', () => {
  it('cuts results by their type even where the whole conversation would fit', () => {
    const strategy = preset('three-tier');
    const history = new History();
    history.message('user', 'look');
    history.call('c1', 'list', '{}');
    history.result(
      'c1',
      JSON.stringify({ items: Array.from({ length: 800 }, (_, id) => ({ id, name: `n${id}` })) }),
    );
    history.message('assistant', 'done');
    const folded = foldEvents(history.events, strategy);
    const result = textsOf(contextOf(folded, strategy, 32_000)).find((text) => text.includes('items'));
    expect(counter.count(result ?? '')).toBeLessThanOrEqual(1000);
    expect(JSON.parse(result ?? '')).toHaveProperty('items');
    expect(folded.originals.size).toBe(1);
  });

  it('stands in the order facts, summary, pinned, window, current message', () => {
    const strategy = preset('three-tier');
    const history = talk(60, 10);
    history.message('user', 'the current message');
    const more = { leaves: [leaf(0, 39, 'THE SUMMARY')], facts: [fact('THE FACT')] };
    const { messages } = contextOf(foldEvents(history.events, strategy), strategy, 32_000, more);
    const text = messages.map((message) => String(message.content));
    expect(text[0]).toMatch(/THE FACT[\s\S]*THE SUMMARY/);
    expect(text.slice(1, 4).map((one) => one.slice(0, 6))).toEqual(['turn 0', 'turn 1', 'turn 2']);
    expect(text.slice(1, -1).every((one) => !one.includes('SUMMARY'))).toBe(true);
    expect(text.at(-1)).toBe('the current message');
  });
});

const long = (n: number): string => `long answer ${n}. ${'clause '.repeat(400)}`;

describe('secretary: the last twelve, facts, and the last long answers', () => {
  const strategy = preset('secretary');
  const history = new History();
  history.message('user', 'Dear secretary, I write about the lease.');
  for (let n = 0; n < 4; n += 1) {
    history.message('user', `question ${n}`);
    history.message('assistant', long(n));
  }
  for (let turn = 0; turn < 20; turn += 1)
    history.message(turn % 2 === 0 ? 'user' : 'assistant', `turn ${turn}`);

  it('shows the last twelve word for word, and the last two long answers from before them', () => {
    const texts = textsOf(contextOf(foldEvents(history.events, strategy), strategy, 8000));
    expect(texts.filter((text) => text.startsWith('turn'))).toEqual(
      Array.from({ length: 12 }, (_, n) => `turn ${n + 8}`),
    );
    expect(texts.filter((text) => text.startsWith('long'))).toEqual([long(2), long(3)]);
  });

  it('keeps them in its row however few tokens the row holds', () => {
    const small = {
      ...strategy,
      settings: { ...strategy.settings, window: { ...strategy.settings.window, inline_tokens: 500 } },
    };
    const { state } = foldEvents(history.events, small);
    expect(
      state.kept.filter(({ entry }) => entry.role === 'assistant').map(({ entry }) => entry.text),
    ).toEqual([long(2), long(3)]);
  });

  it('leaves figures to the facts: no sentence of a summary that has one is shown', () => {
    const summary = 'The client is worried and polite. The rent is 1,200 EUR. He prefers letters to calls.';
    const more = { leaves: [leaf(1, 16, summary)], facts: [fact('notice by 1 May')] };
    const [memory] = textsOf(contextOf(foldEvents(history.events, strategy), strategy, 8000, more));
    expect(memory).toContain('worried and polite. He prefers letters');
    expect(memory).not.toMatch(/The rent is/);
    expect(memory).toContain('deadline, client: lease: notice by 1 May (until 2026-05-01)');
  });
});

describe('budgeted-slots: a budget per part of the call', () => {
  const strategy = preset('budgeted-slots');

  it('never uses the headroom', () => {
    for (const budget of [4000, 8000, 33_000]) {
      const context = contextOf(foldEvents(talk(400, 100).events, strategy), strategy, budget);
      expect(context.tokens.total).toBeLessThanOrEqual(budget * 0.85);
    }
  });

  it('holds results and tail to their slots at its own budget', () => {
    const history = new History();
    history.message('user', 'go');
    for (let n = 0; n < 60; n += 1) {
      history.message('user', `please do ${n}. ${'word '.repeat(120)}`);
      history.call(`c${n}`, 'fetch', `{"n":${n}}`);
      history.result(
        `c${n}`,
        JSON.stringify({ rows: Array.from({ length: 60 }, (_, id) => ({ n, id, sum: id * 7 })) }),
      );
    }
    const { tokens } = contextOf(foldEvents(history.events, strategy), strategy, 33_000);
    expect(tokens.slots.tool_results).toBeLessThanOrEqual(8000 + 6000);
    expect(tokens.slots.tool_results + tokens.slots.tail).toBeLessThanOrEqual(8000 + 6000 + 2000);
    expect(tokens.slots.tool_results).toBeGreaterThan(4000);
  });

  it('keeps a handle in place of an old result, and the newest whole', () => {
    const history = new History();
    history.message('user', 'go');
    for (let n = 0; n < 9; n += 1) {
      history.call(`c${n}`, 'fetch', `{"n":${n}}`);
      history.result(
        `c${n}`,
        JSON.stringify({ page: n, rows: Array.from({ length: 150 }, (_, id) => ({ id, sum: id * 7 })) }),
      );
    }
    const folded = foldEvents(history.events, strategy);
    const results = contextOf(folded, strategy, 12_000).messages.filter((message) => message.role === 'tool');
    const sizes = results.map((message) => counter.count(String(message.content)));
    expect(results).toHaveLength(9);
    expect(sizes[0]).toBeLessThanOrEqual(96);
    expect(sizes.at(-1)).toBeGreaterThan(800);
    const handle = folded.entries.find(
      ({ entry }) => entry.call_id === 'c0' && entry.kind === 'tool_result',
    )?.entry;
    expect(String(results[0]?.content)).toContain(handle?.artifact ?? handle?.id);
  });

  it('refuses rules above their slot and says by how much', () => {
    const history = new History();
    history.message('system', 'rule '.repeat(3500));
    history.message('user', 'hi');
    const folded = foldEvents(history.events, strategy);
    expect(() => contextOf(folded, strategy, 33_000)).toThrow(RulesError);
    expect(() => contextOf(folded, strategy, 33_000)).toThrow(
      /rules take 35\d\d tokens, their slot has 3000/,
    );
    expect(() => contextOf(folded, strategy, 33_000)).toThrow(FloorError);
  });

  it('stops above the kill switch, with a dump of the slots, the largest items and the last steps', () => {
    const history = new History();
    const pinned = Array.from({ length: 10 }, (_, n) =>
      history.message('user', `${n} ${'word '.repeat(7000)}`),
    );
    for (const id of pinned) history.pin(id);
    history.message('user', 'and now?');
    const folded = foldEvents(history.events, strategy);
    let thrown: unknown;
    try {
      contextOf(folded, strategy, 200_000);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(KillSwitchError);
    const { dump } = thrown as KillSwitchError;
    expect(dump.slots.pinned).toBeGreaterThan(60_000);
    expect(dump.largest[0]).toMatchObject({ what: 'user' });
    expect(dump.last.at(-1)).toMatchObject({ what: 'user' });
  });
});

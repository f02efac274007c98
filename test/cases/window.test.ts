import { textPart } from '@palimpsest/events';
import { FloorError } from '@palimpsest/strategy';
import { describe, expect, it } from 'vitest';
import { contextOf, foldEvents, sentTokens, strategyOf } from '../harness/fold-in-memory.js';
import { History } from '../harness/histories.js';
import { openAiViolations } from '@palimpsest/strategy/testing';

const roomy = strategyOf('name: default\nsummary: {}\nfacts: {}\n');
const last = (messages: number): ReturnType<typeof strategyOf> =>
  strategyOf(`name: last-${messages}\nwindow: { pinned_first: 0, messages: ${messages} }\n`);

function texts(history: History, strategy = roomy, budget = 100_000): string[] {
  const { messages } = contextOf(foldEvents(history.events, strategy), strategy, budget);
  expect(openAiViolations(messages)).toEqual([]);
  return messages.map((message) =>
    message.role === 'assistant' && message.tool_calls !== undefined
      ? `call ${message.tool_calls.map((call) => call.id).join('+')}`
      : String(message.content),
  );
}

describe('case 01: an orphan tool result at the start of the window', () => {
  const history = new History();
  history.message('user', 'What is the status of order 55?');
  history.call('c1', 'get_order', '{"id":55}');
  history.result('c1', '{"status":"packed"}');
  history.message('assistant', 'It is packed.');
  history.message('user', 'Thanks, and order 56?');

  it.each([
    [1, ['Thanks, and order 56?']],
    [2, ['It is packed.', 'Thanks, and order 56?']],
    [3, ['It is packed.', 'Thanks, and order 56?']],
    [4, ['call c1', '{"status":"packed"}', 'It is packed.', 'Thanks, and order 56?']],
  ])('is never shown without its call, at a limit of %i', (limit, shown) => {
    expect(texts(history, last(limit))).toEqual(shown);
  });

  it('takes a whole parallel step out when the window begins inside it', () => {
    const parallel = new History();
    parallel.message('user', 'compare');
    parallel.call('a', 't', '{}', 's1');
    parallel.call('b', 't', '{}', 's1');
    parallel.result('a', 'ra');
    parallel.result('b', 'rb');
    parallel.message('assistant', 'done');
    for (const limit of [2, 3, 4]) expect(texts(parallel, last(limit))).toEqual(['done']);
    expect(texts(parallel, last(5))).toEqual(['call a+b', 'ra', 'rb', 'done']);
  });

  it('does not give a reused call id the result of an earlier turn', () => {
    const reused = new History();
    reused.call('call_1', 't', '{}');
    reused.result('call_1', 'old');
    reused.message('user', 'again');
    reused.call('call_1', 't', '{}');
    expect(texts(reused, last(3))).toEqual(['again']);
  });

  it('leaves an open call out until its result has come', () => {
    const open = new History();
    open.message('user', 'go');
    open.call('x', 't', '{}');
    expect(texts(open)).toEqual(['go']);
    open.message('user', 'still there?');
    open.result('x', 'late');
    expect(texts(open)).toEqual(['go', 'call x', 'late', 'still there?']);
  });
});

describe('case 02: nothing is lost while nothing has to be trimmed', () => {
  it('equals the input, in order', () => {
    const history = new History();
    history.message('system', 'You help.');
    history.message('user', 'Weather in Lviv?');
    history.call('w', 'weather', '{"city":"Lviv"}');
    history.result('w', '18 C');
    expect(texts(history)).toEqual(['You help.', 'Weather in Lviv?', 'call w', '18 C']);
  });

  it('holds for long results and odd spacing, which are shown as their originals', () => {
    const history = new History();
    const result = JSON.stringify(
      { rows: Array.from({ length: 2000 }, (_, id) => ({ id, note: ` ${id}\n` })) },
      null,
      3,
    );
    history.message('user', '  spaces \n\n kept  ');
    history.call('r', 'rows', '{ "all" : true }');
    history.result('r', result);
    history.message('assistant', 'ok\n');
    const strategy = roomy;
    expect(texts(history, strategy)).toEqual(['  spaces \n\n kept  ', 'call r', result, 'ok\n']);
  });

  it('shows no message twice', () => {
    const history = new History();
    for (let turn = 0; turn < 50; turn += 1)
      history.message(turn % 2 === 0 ? 'user' : 'assistant', `m${turn}`);
    const sliding = strategyOf('name: sliding\nwindow: { pinned_first: 3, messages: 20 }\n');
    const shown = texts(history, sliding);
    expect(shown).toEqual(['m0', 'm1', 'm2', ...Array.from({ length: 20 }, (_, n) => `m${n + 30}`)]);
    const short = new History();
    for (let turn = 0; turn < 10; turn += 1) short.message('user', `m${turn}`);
    expect(texts(short, sliding)).toHaveLength(10);
  });
});

describe('case 05: pins', () => {
  it('keeps a pinned system message verbatim, once and first', () => {
    const shown = texts(long().history, roomy, 2000);
    expect(shown[0]).toBe('Never quote prices.');
    expect(shown.filter((text) => text === 'Never quote prices.')).toHaveLength(1);
  });

  it('lets a message go once it is unpinned', () => {
    const one = strategyOf('name: none\nwindow: { pinned_first: 0, inline_tokens: 1000 }\n');
    const { history, pinned } = long('user');
    expect(texts(history, one, 2000)).toContain('Never quote prices.');
    history.unpin(pinned);
    expect(texts(history, one, 2000)).not.toContain('Never quote prices.');
  });

  it('cuts no rule that fits, however many small ones stand beside it', () => {
    const history = new History();
    const rule = `The long rule: ${'be polite and exact. '.repeat(150)}`;
    history.message('system', rule);
    for (let n = 0; n < 14; n += 1) history.message('system', `Rule ${n}.`);
    for (let n = 0; n < 40; n += 1) history.message('user', `question ${n} ${'word '.repeat(100)}`);
    expect(texts(history, roomy, 2000)).toContain(rule);
  });

  it('keeps the first message of the user, though others came before it', () => {
    const history = new History();
    for (const text of ['a', 'b', 'c']) history.message('assistant', text);
    history.message('user', 'The goal is a refund.');
    for (let n = 0; n < 200; n += 1) history.message('assistant', `step ${n} ${'word '.repeat(60)}`);
    expect(texts(history, roomy, 2000)).toContain('The goal is a refund.');
  });

  it('is an explicit error when the pins alone exceed the budget', () => {
    const history = new History();
    const big = history.message('user', 'слово '.repeat(3000));
    history.pin(big);
    history.message('assistant', 'ok');
    const folded = foldEvents(history.events, roomy);
    expect(() => contextOf(folded, roomy, 2000)).toThrow(FloorError);
    expect(() => contextOf(folded, roomy, 2000)).toThrow(/pins \d+/);
  });
});

describe('the newest result larger than the budget', () => {
  it.each(['json', 'text', 'base64'])('is cut by its type, with a handle, and never dropped (%s)', (kind) => {
    const history = new History();
    history.message('user', 'list all orders');
    history.call('big', 'orders', '{}');
    const body =
      kind === 'json'
        ? JSON.stringify({
            total: 4711,
            orders: Array.from({ length: 5000 }, (_, id) => ({ id, amount: id * 1.5 })),
          })
        : kind === 'text'
          ? 'рядок тексту. '.repeat(20_000)
          : 'QUJD'.repeat(50_000);
    history.result('big', body);
    const { messages, leftOut } = contextOf(foldEvents(history.events, roomy), roomy, 2000);
    expect(openAiViolations(messages)).toEqual([]);
    expect(sentTokens(messages)).toBeLessThanOrEqual(2000);
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool']);
    expect(leftOut.some((one) => one.what.startsWith('part of tool result') && one.handle !== null)).toBe(
      true,
    );
    if (kind === 'json') expect(JSON.stringify(JSON.parse(String(messages[2]?.content)))).toContain('4711');
  });

  it('is never said to be what the assistant only thought', () => {
    const history = new History();
    history.message('user', 'hi');
    history.message('assistant', [
      { ...textPart('secret thought '.repeat(2000)), kind: 'thinking', signature: 's' },
      textPart('answer '.repeat(2000)),
    ]);
    expect(texts(history, roomy, 2000).join()).not.toContain('secret');
  });

  it('shares the cap between parallel results that fit alone and not together', () => {
    const history = new History();
    history.message('user', 'ten reports');
    for (let n = 0; n < 10; n += 1) history.call(`r${n}`, 'report', `{"n":${n}}`, 'step');
    for (let n = 0; n < 10; n += 1) history.result(`r${n}`, `report ${n}: ${'figures '.repeat(800)}`);
    const { messages } = contextOf(foldEvents(history.events, roomy), roomy, 2000);
    expect(openAiViolations(messages)).toEqual([]);
    expect(messages.filter((message) => message.role === 'tool')).toHaveLength(10);
    expect(sentTokens(messages)).toBeLessThanOrEqual(2000);
  });
});

function long(role: 'system' | 'user' = 'system'): { history: History; pinned: string } {
  const history = new History();
  const pinned = history.message(role, 'Never quote prices.');
  history.pin(pinned);
  for (let turn = 0; turn < 200; turn += 1) {
    history.message('user', `question ${turn} ${'word '.repeat(60)}`);
    history.message('assistant', `answer ${turn}`);
  }
  return { history, pinned };
}

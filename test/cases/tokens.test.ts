import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { contextOf, counter, foldEvents, sentTokens, strategyOf } from '../harness/fold-in-memory.js';
import { History } from '../harness/histories.js';
import { openAiViolations } from '@palimpsest/strategy/testing';

const strategy = strategyOf('name: default\n');

describe('case 06: special-token literals', () => {
  it.each(['<|endoftext|>', '<|im_start|>user', '<|fim_prefix|>', '<|endofprompt|>'])(
    'counts %s as ordinary text on every path',
    (literal) => {
      const history = new History();
      history.message('user', `training line ${literal}`);
      history.call('c', 'read', JSON.stringify({ path: literal }));
      history.result('c', `line ${literal} ${literal}`);
      const { messages } = contextOf(foldEvents(history.events, strategy), strategy, 8000);
      expect(openAiViolations(messages)).toEqual([]);
      expect(JSON.stringify(messages)).toContain(literal);
    },
  );

  it('knows the reference count', () => {
    expect(counter.count('log line <|endoftext|> end')).toBe(10);
  });
});

describe('case 07: scripts', () => {
  const samples = {
    Ukrainian: 'Сьогодні у Львові дощ, тому зустріч перенесено на п’ятницю о десятій годині ранку. ',
    Russian: 'Заказ номер 4471 отправлен вчера, доставка ожидается в понедельник после обеда. ',
    Japanese: '東京の天気は晴れです。明日は雨が降るでしょう。',
    Thai: 'วันนี้อากาศดีมากแต่พรุ่งนี้ฝนจะตก',
    Hindi: 'आज मौसम अच्छा है और कल बारिश होगी। ',
    emoji: '👩‍👩‍👧‍👦🇺🇦👍🏽',
  };
  it.each(Object.entries(samples))(
    'keeps a history of %s within its budget, cut between whole characters',
    (_, sample) => {
      const history = new History();
      history.message('user', sample.repeat(200));
      const { messages } = contextOf(foldEvents(history.events, strategy), strategy, 1000);
      expect(sentTokens(messages)).toBeLessThanOrEqual(1000);
      expect(openAiViolations(messages)).toEqual([]);
      expect(String(messages[0]?.content).length).toBeGreaterThan(50);
    },
  );
});

describe('case 08: long unbroken runs', () => {
  it.each([
    ['letters', 'a'.repeat(200_000)],
    ['Cyrillic letters', 'ж'.repeat(100_000)],
    ['base64', Buffer.alloc(150_000, 'Zx9!').toString('base64')],
    ['a minified bundle', 'function(a,b){return a&&b||c.d[e]};'.repeat(6000)],
    ['spaces', ' '.repeat(200_000)],
    ['line feeds', '\n'.repeat(200_000)],
    ['CJK', '漢字仮名交じり文'.repeat(20_000)],
    ['digits', '0123456789'.repeat(20_000)],
  ])('of %s are counted in time that does not stop a consumer', (_, run) => {
    const fresh = tokenCounter(null);
    fresh.count('warm up');
    const start = performance.now();
    const tokens = fresh.count(run);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(tokens).toBeGreaterThan(0);
    const history = new History();
    history.message('user', 'read it');
    history.call('c', 'read', '{}');
    history.result('c', run);
    expect(
      sentTokens(contextOf(foldEvents(history.events, strategy), strategy, 2000).messages),
    ).toBeLessThanOrEqual(2000);
  });
});

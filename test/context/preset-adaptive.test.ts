import { describe, expect, it } from 'vitest';
import { contextOf, counter, foldEvents, foldingOf } from '../harness/fold-in-memory.js';
import { preset, talk, textsOf } from '../harness/presets.js';

describe('adaptive: shares of the budget, messages by their weight', () => {
  const strategy = preset('adaptive');

  it('scales every part with the budget and leaves the headroom', () => {
    const history = talk(600, 60);
    const folded = foldEvents(history.events, strategy);
    const totals = [4000, 8000, 16_000].map(
      (budget) => contextOf(folded, strategy, budget).tokens.total / budget,
    );
    for (const share of totals) {
      expect(share).toBeLessThanOrEqual(0.85);
      expect(share).toBeGreaterThan(0.2);
    }
  });

  it('keeps a decision from long ago and the message a user corrected, where others of its age are gone', () => {
    const history = talk(20, 60);
    history.message('user', 'We decided: supplier INV-2231 is paid on 14 May, never earlier.');
    const wrong = history.message('assistant', 'Payment PAY-77 goes to Contoso, account UA-1234567.');
    history.correction(wrong);
    for (let turn = 20; turn < 220; turn += 1) {
      history.message(turn % 2 === 0 ? 'user' : 'assistant', `turn ${turn}. ${'word '.repeat(60)}`);
    }
    const texts = textsOf(contextOf(foldEvents(history.events, strategy), strategy, 8000));
    expect(texts).toContain('We decided: supplier INV-2231 is paid on 14 May, never earlier.');
    expect(texts).toContain('Payment PAY-77 goes to Contoso, account UA-1234567.');
    expect(texts.some((text) => text.startsWith('turn 19.'))).toBe(false);
  });

  it('tells what left as one line each with its place, at a quarter of its tokens', () => {
    const history = talk(200, 60);
    const [memory] = textsOf(contextOf(foldEvents(history.events, strategy), strategy, 8000));
    const lines = (memory ?? '').split('\n').filter((line) => line.startsWith('['));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      expect(line).toMatch(/^\[\d+\] (user|assistant): turn \d+\./);
      expect(counter.count(line)).toBeLessThanOrEqual(68 / 4 + 1);
    }
  });

  it('has a stable start while the tail stays where it is', () => {
    const folding = foldingOf(strategy);
    const shares: number[] = [];
    for (const event of talk(160, 60).events) {
      folding.add(event);
      const { tokens, stablePrefixTokens } = contextOf(folding.folded(), strategy, 4000);
      shares.push(stablePrefixTokens / tokens.total);
    }
    const late = shares.slice(60);
    expect(late.reduce((sum, share) => sum + share, 0) / late.length).toBeGreaterThan(0.7);
  });
});

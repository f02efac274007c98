import { describe, expect, it } from 'vitest';
import { grepLines, PatternError } from './grep-lines.js';

const bounds = { from: 1, maxMatches: 100, maxBytes: 100_000, maxMs: 5_000 };

describe('grepLines', () => {
  it('finds lines by RE2 patterns, the case ignored on wish', async () => {
    const { matches, total } = await grepLines('a\nERROR refused\n\nerror: db\n', '(?i)^error', bounds);
    expect(matches).toEqual([
      { line: 2, column: 1, text: 'ERROR refused' },
      { line: 4, column: 1, text: 'error: db' },
    ]);
    expect(total).toBe(4);
  });

  it('shows of a long line what stands around the match', async () => {
    const line = `${'x'.repeat(50_000)}id=4711${'y'.repeat(50_000)}`;
    const { matches } = await grepLines(line, 'id=\\d+', bounds);
    expect(matches[0]?.column).toBe(50_001);
    expect(matches[0]?.text).toMatch(/^…x+id=4711y+…$/);
    expect(matches[0]?.text.length).toBeLessThanOrEqual(402);
  });

  it('finds a match wherever the parts of a long line meet', async () => {
    for (let at = 16_380; at < 16_390; at += 1) {
      const { matches } = await grepLines(`${'x'.repeat(at)}needle${'y'.repeat(20_000)}`, 'needle', bounds);
      expect(matches[0]?.column).toBe(at + 1);
    }
  });

  it('parts no pair of surrogates where it shortens a line', async () => {
    for (let at = 0; at < 4; at += 1) {
      const { matches } = await grepLines(`${'z'.repeat(at)}${'👍'.repeat(2_000)}end`, 'end', bounds);
      expect(matches[0]?.text.isWellFormed()).toBe(true);
    }
  });

  it('ends at its bounds and says where to go on', async () => {
    const text = 'line\n'.repeat(1_000);
    const first = await grepLines(text, 'line', { ...bounds, maxMatches: 10 });
    expect(first).toMatchObject({ searched: 10, total: 1_000, endedBy: 'matches' });
    expect((await grepLines(text, 'line', { ...bounds, from: 996 })).matches).toHaveLength(5);
    expect(await grepLines(text, 'line', { ...bounds, maxBytes: 20 })).toMatchObject({
      searched: 5,
      endedBy: 'bytes',
    });
    expect(await grepLines(text, 'none', { ...bounds, maxMs: -1 })).toMatchObject({ endedBy: 'time' });
  });

  it('lets other work run while it searches', async () => {
    let turns = 0;
    let over = false;
    const count = () => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await grepLines('a fairly ordinary line of text\n'.repeat(200_000), 'x\\w+y', bounds);
    over = true;
    expect(turns).toBeGreaterThan(1);
  });

  it.each(['(a+)+$', '(a|a)*b', '(.*)(.*)(.*)(.*)x', '(a{1,10}){1,10}b', '([a-z]+)*\\d'])(
    'takes bounded time for %s on a text made against it',
    async (pattern) => {
      const started = performance.now();
      await grepLines(`${'a'.repeat(300_000)}!`, pattern, { ...bounds, maxMs: 500 });
      expect(performance.now() - started).toBeLessThan(3_000);
    },
  );

  it.each(['(?=a)', '(a)\\1', '(', 'a{2000}', '(a{50}){50}{50}', 'a'.repeat(501)])(
    'refuses %s',
    async (pattern) => {
      await expect(grepLines('a', pattern, bounds)).rejects.toThrow(PatternError);
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrategy, StrategyFileError, strategyFromCanonical } from './strategy.js';

describe('a strategy file', () => {
  it('names the line of a value that is out of range', () => {
    expect(problemsOf('name: a\nwindow:\n  pinned_first: 3\n  messages: 0\n')).toEqual([
      expect.stringMatching(/^a\.yaml:4: window\.messages: /),
    ]);
  });

  it('names the line of a key that is no setting', () => {
    expect(problemsOf('name: a\n\nwindow:\n  mesages: 20\n  messages: 20\n')).toEqual([
      expect.stringMatching(/^a\.yaml:4: window\.mesages: is not a setting/),
    ]);
    expect(problemsOf('name: a\nwindows: {}\n')[0]).toMatch(/^a\.yaml:2: windows: is not a setting/);
  });

  it('names every problem, each with its own line', () => {
    const lines = problemsOf('name: Shop\nbudget:\n  headroom: 0.9\nslots:\n  tail: 12.5\n  tols: 1\n');
    expect(lines.map((line) => line.split(':')[1])).toEqual(expect.arrayContaining(['1', '3', '5', '6']));
    expect(lines).toHaveLength(4);
  });

  it('names the line of YAML that cannot be read, of a key given twice and of a tab', () => {
    expect(problemsOf('name: a\nwindow: {pinned_first: 3\n')[0]).toMatch(/^a\.yaml:[23]: not YAML: /);
    expect(problemsOf('name: a\nfacts: {}\nname: b\n')[0]).toMatch(/^a\.yaml:3: not YAML: /);
    expect(problemsOf('name: a\nwindow:\n\tmessages: 3\n')[0]).toMatch(/^a\.yaml:3: not YAML: /);
  });

  it('says what is missing where there is nothing', () => {
    expect(problemsOf('')[0]).toMatch(/^a\.yaml:1: strategy: /);
    expect(problemsOf('description: x\n')[0]).toMatch(/^a\.yaml:1: name: is missing: give a string/);
  });

  it('bounds what aliases may ask for', () => {
    const bomb = ['a0: &a0 [x, x]'];
    for (let n = 1; n < 30; n += 1) bomb.push(`a${n}: &a${n} [*a${n - 1}, *a${n - 1}]`);
    expect(problemsOf(bomb.join('\n'))[0]).toMatch(/aliases that cannot be followed/);
  });

  it('fails on any text only with problems of the file, line and remedy named', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '-', '{', '&', '*', '[', '"') }),
        (text) => {
          for (const problem of problemsOf(text)) expect(problem).toMatch(/^a\.yaml:\d+: .+/);
        },
      ),
    );
  });
});

describe('the version of a strategy', () => {
  it('is the same for two files that say the same', () => {
    const one = parseStrategy('name: a\nwindow: { messages: 20 }\n', 'one');
    const two = parseStrategy('# a comment\nwindow:\n  messages: 20\n  pinned_first: 3\nname: a\n', 'two');
    expect(two.version).toBe(one.version);
  });

  it('stays for a strategy written before a setting came: what is absent is not written', () => {
    const { canonical } = parseStrategy('name: a\nsummary: {}\n', 'a');
    for (const later of ['slots', 'weights', 'delta', 'recall', 'large_replies', 'numbers', 'kill_above'])
      expect(canonical).not.toContain(later);
  });

  it('survives being stored', () => {
    const strategy = parseStrategy('name: a\nslots: { tail: 0.3, tools: 4000 }\nweights: {}\n', 'a');
    expect(strategyFromCanonical(strategy.canonical)).toEqual(strategy);
  });
});

function problemsOf(text: string): string[] {
  try {
    parseStrategy(text, 'a.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof StrategyFileError)) throw error;
    return error.message.split('\n');
  }
}

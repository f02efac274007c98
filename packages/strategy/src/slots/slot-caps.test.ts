import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrategy } from '../strategy.js';
import { slotCaps } from './slot-caps.js';

const all = { tools: true, state: true, recalled: true, tool_results: true };
const settingsOf = (slots: string, headroom = 0) =>
  parseStrategy(`name: s\nbudget: { headroom: ${headroom} }\nslots: ${slots}\n`, 's').settings;

describe('slots', () => {
  it('in tokens hold as they are while the budget has room for all of them', () => {
    const settings = settingsOf('{ tools: 400, state: 200, tail: 600, tool_results: 800 }');
    const caps = slotCaps(settings, 10_000, all);
    expect([caps.tools, caps.state]).toEqual([400, 200]);
    expect(caps.divide(5000)).toEqual({ results: 800, tail: 600, memory: Infinity });
  });

  it('divide a smaller budget in their proportion, results and tail with half of it to spare', () => {
    const caps = slotCaps(
      settingsOf('{ tools: 4000, state: 2000, tail: 6000, tool_results: 8000 }'),
      2003,
      all,
    );
    expect([caps.tools, caps.state]).toEqual([400, 200]);
    expect(caps.divide(1400)).toMatchObject({ results: 1200, tail: 900 });
  });

  it('as shares divide every budget, the headroom apart', () => {
    const caps = slotCaps(settingsOf('{ tools: 0.2, tail: 0.3, tool_results: 0.3 }', 0.2), 10_000, all);
    expect(caps.usable).toBe(7997);
    expect(caps.tools).toBe(1999);
    expect(caps.divide(5998)).toMatchObject({ results: 4498, tail: 4498 });
  });

  it('lend what the conversation has nothing for', () => {
    const settings = settingsOf('{ tools: 0.5, state: 0.1, tail: 0.2, tool_results: 0.2 }');
    const caps = slotCaps(settings, 1003, { ...all, tools: false, tool_results: false });
    expect(caps.tools).toBe(0);
    expect(caps.state).toBe(333);
    expect(caps.divide(667)).toMatchObject({ results: 0, tail: 667 });
  });

  it('never take more than the budget leaves', () => {
    const slot = fc.option(
      fc.oneof(fc.double({ min: 0.01, max: 0.9, noNaN: true }), fc.integer({ min: 1, max: 9000 })),
    );
    fc.assert(
      fc.property(
        slot,
        slot,
        slot,
        slot,
        slot,
        fc.integer({ min: 200, max: 60_000 }),
        (tools, state, recalled, tail, results, budget) => {
          const given = { tools, state, recalled, tail, tool_results: results };
          const settings = settingsOf(
            JSON.stringify(Object.fromEntries(Object.entries(given).filter(([, v]) => v !== null))),
          );
          const caps = slotCaps(settings, budget, all);
          const outer = caps.tools + caps.state + caps.recalled;
          expect(outer).toBeLessThanOrEqual(caps.usable);
          const room = caps.usable - outer;
          const inner = caps.divide(room);
          // Together they are held to the room by whoever fills them.
          for (const one of [tail === null ? 0 : inner.tail, results === null ? 0 : inner.results])
            expect(one).toBeLessThanOrEqual(room);
        },
      ),
    );
  });
});

import { tokenCounter } from '@palimpsest/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseTools, RESOLVE_TOOL } from './choose-tools.js';
import { ANY_ARGUMENTS, declareTools } from './tool-declaration.js';

const counter = tokenCounter(null);
const declared = (count: number, words: number, phases: (n: number) => string[] = () => []) =>
  declareTools(
    Array.from({ length: count }, (_, n) => ({
      name: `tool_${n}`,
      summary: `Does ${n}.\nAnd more.`,
      schema: JSON.stringify({ type: 'object', description: 'word '.repeat(n === 0 ? words * 4 : words) }),
      phases: phases(n),
    })),
    counter,
  );

describe('the tools of a call', () => {
  it('are all as declared while they fit', () => {
    const tools = declared(3, 10);
    const chosen = chooseTools(tools, null, 1000, counter);
    expect(chosen.tools.map(({ schema }) => schema)).toEqual(tools.map(({ schema }) => schema));
    expect(chosen.leftOut).toEqual([]);
  });

  it('are those of the phase and those of none; all while there is no phase', () => {
    const tools = declared(4, 10, (n) => (n === 0 ? [] : [n % 2 === 0 ? 'even' : 'odd']));
    const names = (phase: string | null): string[] =>
      chooseTools(tools, phase, 5000, counter).tools.map(({ name }) => name);
    expect(names('odd')).toEqual(['tool_0', 'tool_1', 'tool_3']);
    expect(names(null)).toHaveLength(4);
    expect(chooseTools(tools, 'odd', 5000, counter).leftOut).toEqual([
      { what: 'tools tool_2', why: 'not of the phase odd', handle: null },
    ]);
  });

  it('lose their longest schemas first, for one line and a tool that answers them', () => {
    const tools = declared(3, 60);
    const chosen = chooseTools(tools, null, 330, counter);
    expect(chosen.tools.map(({ name }) => name)).toEqual(['tool_0', 'tool_1', 'tool_2', RESOLVE_TOOL]);
    expect(chosen.tools[0]).toEqual({
      name: 'tool_0',
      description: `Does 0. Arguments: ${RESOLVE_TOOL}.`,
      schema: ANY_ARGUMENTS,
    });
    expect(chosen.tools[2]?.schema).toBe(tools[2]?.schema);
  });

  it('are never above the slot and as many as before, until not even their names fit', () => {
    fc.assert(
      fc.property(fc.nat({ max: 30 }), fc.nat({ max: 80 }), fc.nat({ max: 3000 }), (count, words, cap) => {
        const chosen = chooseTools(declared(count, words), null, cap, counter);
        expect(chosen.tokens).toBeLessThanOrEqual(cap);
        const own = chosen.tools.filter(({ name }) => name !== RESOLVE_TOOL);
        const dropped = chosen.leftOut.some(({ why }) => why === 'over the slot');
        expect(own.length === count).toBe(!dropped);
        expect(own.map(({ name }) => name)).toEqual(
          Array.from({ length: own.length }, (_, n) => `tool_${n}`),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('take anything where their schema is no JSON object', () => {
    for (const schema of ['', 'no', '[]', '"x"', 'null']) {
      const [tool] = declareTools([{ name: 'a', summary: '', schema, phases: [] }], counter);
      expect(tool?.schema).toBe(ANY_ARGUMENTS);
    }
  });
});

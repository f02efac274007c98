import { describe, expect, it } from 'vitest';
import { contextOf, foldEvents, strategyOf } from '../harness/fold-in-memory.js';
import { History } from '../harness/histories.js';

const strategy = strategyOf('name: s\nslots: { tools: 1000, state: 300 }\n');
const tool = (name: string, ...phases: string[]) => ({
  name,
  summary: `Does ${name}.`,
  schema: { type: 'object', properties: { q: { type: 'string' } } },
  phases,
});
function withTools(): History {
  const history = new History();
  history.message('system', 'rules');
  history.tools([tool('search', 'collect'), tool('check', 'verify'), tool('note')]);
  history.message('user', 'go');
  return history;
}
const names = (history: History): string[] =>
  contextOf(foldEvents(history.events, strategy), strategy, 8000).tools.map(({ name }) => name);

describe('tools and phases', () => {
  it('are all sent before the first phase, and pruned by the phase of the current task after', () => {
    const history = withTools();
    expect(names(history)).toEqual(['search', 'check', 'note']);
    history.phase('t', 'collect');
    expect(names(history)).toEqual(['search', 'note']);
    history.phase('t', 'verify');
    expect(names(history)).toEqual(['check', 'note']);
  });

  it('take the phase from a patch of the working state as well', () => {
    const history = withTools();
    history.patch('t', { phase: 'verify' });
    expect(names(history)).toEqual(['check', 'note']);
  });

  it('are those of the newest declaration, by the order of the conversation', () => {
    const history = withTools();
    history.tools([tool('other')]);
    expect(names(history)).toEqual(['other']);
  });

  it('count in the slot of tools and in the total', () => {
    const history = withTools();
    const { tokens } = contextOf(foldEvents(history.events, strategy), strategy, 8000);
    expect(tokens.slots.tools).toBeGreaterThan(50);
    expect(Object.values(tokens.slots).reduce((sum, one) => sum + one, 0)).toBe(tokens.total);
  });

  it('leave nothing stable in the call after they changed, and all of it in the calls after that', () => {
    const history = withTools();
    for (let turn = 0; turn < 6; turn += 1)
      history.message(turn % 2 === 0 ? 'assistant' : 'user', `turn ${turn}`);
    const stable = () => contextOf(foldEvents(history.events, strategy), strategy, 8000);
    expect(stable().stablePrefixTokens).toBeGreaterThan(stable().tokens.slots.tools);
    history.phase('t', 'verify');
    history.message('user', 'next');
    expect(stable().stablePrefixTokens).toBe(0);
    history.message('assistant', 'yes');
    expect(stable().stablePrefixTokens).toBeGreaterThan(0);
  });

  it('leave the messages their half of the smallest budget', () => {
    const history = new History();
    history.tools(Array.from({ length: 60 }, (_, n) => tool(`a_tool_with_a_long_name_${n}`)));
    history.message('user', 'word '.repeat(300));
    const { tokens } = contextOf(foldEvents(history.events, strategy), strategy, 800);
    expect(tokens.slots.tools).toBeLessThanOrEqual(400);
    expect(tokens.total).toBeLessThanOrEqual(800);
  });
});

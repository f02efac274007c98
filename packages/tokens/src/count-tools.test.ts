import { describe, expect, it } from 'vitest';
import { countTool, countTools, TOOL_OVERHEAD_TOKENS, TOOLS_OVERHEAD_TOKENS } from './count-tools.js';
import { tokenCounter } from './token-counter.js';

const counter = tokenCounter(null);
const tool = { name: 'find_orders', description: 'Finds orders.', schema: '{"type":"object"}' };

describe('tokens of declared tools', () => {
  it('count name, description, schema and separators', () => {
    const parts = counter.count(tool.name) + counter.count(tool.description) + counter.count(tool.schema);
    expect(countTool(counter, tool)).toBe(parts + TOOL_OVERHEAD_TOKENS);
  });

  it('are none without tools, and have a frame once with them', () => {
    expect(countTools(counter, [])).toBe(0);
    expect(countTools(counter, [tool, tool])).toBe(2 * countTool(counter, tool) + TOOLS_OVERHEAD_TOKENS);
  });
});

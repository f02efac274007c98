import type { TokenCounter } from './token-counter.js';

/**
 * Per declared tool beyond its name, description and schema (OpenAI cookbook, "How to count tokens with tiktoken", gpt-4o:
 * func_init = 7).
 */
export const TOOL_OVERHEAD_TOKENS = 7;

/** Once per request that declares tools (same source, func_end = 12). */
export const TOOLS_OVERHEAD_TOKENS = 12;

/** A tool as it is declared to the model. */
export interface CountedTool {
  readonly name: string;
  readonly description: string;
  /** JSON text of the schema of its arguments. */
  readonly schema: string;
}

/**
 * Tokens of one declared tool. Providers write schemas in forms of their own, OpenAI's shorter than JSON: the JSON text
 * is what Anthropic bills and an upper bound for the others.
 */
export function countTool(counter: TokenCounter, { name, description, schema }: CountedTool): number {
  return TOOL_OVERHEAD_TOKENS + counter.count(name) + counter.count(description) + counter.count(schema);
}

/** Tokens of all that a request declares; none without tools. */
export function countTools(counter: TokenCounter, tools: readonly CountedTool[]): number {
  if (tools.length === 0) return 0;
  return tools.reduce((sum, tool) => sum + countTool(counter, tool), TOOLS_OVERHEAD_TOKENS);
}

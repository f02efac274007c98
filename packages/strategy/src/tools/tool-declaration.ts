import { countTool, type TokenCounter } from '@palimpsest/tokens';

/** A tool that the agent may call, as it was declared. */
export interface ToolDeclaration {
  name: string;
  summary: string;
  /** JSON text of the schema of its arguments. */
  schema: string;
  /** Phases in which it is of use; none = in all. */
  phases: string[];
  /** As sent with its whole schema, counted by the view's tokenizer. */
  tokens: number;
}

/** What the newest declaration of a conversation says, and its place. */
export interface DeclaredTools {
  order: bigint;
  tools: ToolDeclaration[];
}

/** Declarations with their tokens. A schema that is no JSON object is one that takes anything. */
export function declareTools(
  tools: readonly Omit<ToolDeclaration, 'tokens'>[],
  counter: TokenCounter,
): ToolDeclaration[] {
  return tools.map(({ name, summary, schema, phases }) => {
    const sent = isObject(schema) ? schema : ANY_ARGUMENTS;
    return {
      name,
      summary,
      schema: sent,
      phases,
      tokens: countTool(counter, { name, description: summary, schema: sent }),
    };
  });
}

/** The schema of a tool whose own was not sent or cannot be read. */
export const ANY_ARGUMENTS = '{"type":"object","additionalProperties":true}';

function isObject(schema: string): boolean {
  try {
    const value: unknown = JSON.parse(schema);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

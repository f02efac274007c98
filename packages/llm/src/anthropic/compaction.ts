import type { ChatAsk } from '../prompted/chat-protocol.js';

/**
 * Server-side compaction of the Messages API (beta `compact-2026-01-12`): the server condenses what is above the
 * trigger by our instructions and gives the summary as a block of its own. Worth it for sources that are large for the
 * model; below the trigger the server would not act, so a plain call is made.
 */
export interface Compaction {
  /** Input tokens above which the server condenses; the API takes 50,000 at least. */
  triggerTokens: number;
  /** Tokens of a text, about: decides whether the trigger is reached. */
  countTokens(text: string): number;
}

export const COMPACTION_BETA = 'compact-2026-01-12';
/** Least trigger that the API takes. */
const LEAST_TRIGGER = 50_000;

/** The body of a call that ends with the compaction: the summary is all that is wanted, not an answer on top of it. */
export function compactionBody(
  body: Record<string, unknown>,
  ask: ChatAsk,
  { triggerTokens }: Compaction,
): Record<string, unknown> {
  return {
    ...body,
    context_management: {
      edits: [
        {
          type: 'compact_20260112',
          trigger: { type: 'input_tokens', value: Math.max(LEAST_TRIGGER, triggerTokens) },
          pause_after_compaction: true,
          instructions: ask.system,
        },
      ],
    },
  };
}

/** The text of a compaction block; null where there is none. A server that failed at it sends null content. */
export function compactionOf(content: readonly { type?: unknown; content?: unknown }[]): string | null {
  const block = content.find((one) => one?.type === 'compaction');
  if (block === undefined) return null;
  // Instructions ask for plain text; a model used to the default prompt may still wrap it.
  const text = typeof block.content === 'string' ? block.content : '';
  return text.replace(/^\s*<summary>([\s\S]*)<\/summary>\s*$/u, '$1').trim();
}

import type { TokenCounter } from './token-counter.js';

/**
 * Tokens of a message beyond its text: 3 for the separators around it and 1 for the role (OpenAI cookbook, "How to
 * count tokens with tiktoken": tokens_per_message = 3, and the role's own token).
 */
export const MESSAGE_OVERHEAD_TOKENS = 4;

/** Once per request: every reply is primed with `<|start|>assistant<|message|>` (same source). */
export const REPLY_PRIMING_TOKENS = 3;

/** Per tool call, beyond its name and arguments: the separators and the recipient (as gpt-tokenizer counts a call). */
export const TOOL_CALL_OVERHEAD_TOKENS = 3;

/**
 * Flat price of an image. Anthropic: at most about 1,600 (width * height / 750 after scaling to 1,568 pixels); OpenAI's
 * gpt-4o at high detail: at most 85 + 8 tiles * 170 = 1,445. Models that take larger images can charge more.
 */
export const IMAGE_TOKENS = 1600;

/** A message as it is sent. An id that the provider sends back to the model counts where it is given. */
export interface CountedMessage {
  readonly text: string;
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: string;
    readonly id?: string | null;
  }[];
  readonly toolCallId?: string | null;
  readonly images?: number;
}

/** Tokens of one message with all that is sent of it: text, role and separators, tool calls, call id, images. */
export function countMessage(counter: TokenCounter, message: CountedMessage): number {
  let tokens = MESSAGE_OVERHEAD_TOKENS + counter.count(message.text);
  for (const call of message.toolCalls ?? []) {
    tokens += TOOL_CALL_OVERHEAD_TOKENS + counter.count(call.name) + counter.count(call.arguments);
    if (call.id) tokens += counter.count(call.id);
  }
  if (message.toolCallId) tokens += counter.count(message.toolCallId);
  return tokens + IMAGE_TOKENS * (message.images ?? 0);
}

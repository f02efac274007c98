import { createHash } from 'node:crypto';
import {
  type Assembled,
  anthropicOpeningTokens,
  formatAiSdk,
  formatAnthropic,
  formatOpenAi,
  formatText,
} from '@palimpsest/strategy';
import type { ContextRequest } from '../context-reader.js';

interface Formatted {
  /** `messages`, `system` and `messages`, or `text`, and what else the provider is sent. */
  sent: object;
  /** Tokens that the format adds to what the context was counted at. */
  added: number;
}

/**
 * The context in the form that was asked for. The answer for OpenAI carries a `prompt_cache_key`, the same for all
 * calls of a conversation and telling nothing of it; that for Anthropic carries its breakpoints.
 */
export function formatContext(
  { pieces, stablePieces }: Assembled,
  request: Pick<ContextRequest, 'tenant' | 'conversation' | 'format'>,
): Formatted {
  switch (request.format) {
    case 'openai':
      return {
        sent: { messages: formatOpenAi(pieces), prompt_cache_key: cacheKey(request) },
        added: 0,
      };
    case 'anthropic': {
      const sent = formatAnthropic(pieces, stablePieces);
      return { sent, added: anthropicOpeningTokens(sent) };
    }
    case 'ai-sdk':
      return { sent: { messages: formatAiSdk(pieces) }, added: 0 };
    case 'text':
      return { sent: { text: formatText(pieces) }, added: 0 };
  }
}

function cacheKey({ tenant, conversation }: Pick<ContextRequest, 'tenant' | 'conversation'>): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, conversation]))
    .digest('base64url');
}

import type { Usage } from '@palimpsest/events';
import { carriedIdentifiers } from '@palimpsest/strategy';
import type { DerivationPurpose, LanguageModel } from '../language-model.js';
import { UnusableAnswerError } from '../model-errors.js';
import { hashOf, inputHash } from '../request-hash.js';
import { chooseSentences } from './choose-sentences.js';
import { readFacts } from './read-facts.js';

export interface ExtractiveOptions {
  /** Tokens of a text, by the tokenizer the views count with. */
  countTokens(text: string): number;
}

/** Raised whenever the rules change what comes out: the answer to "was this made by the same prompt?". */
const RULES_VERSION = 1;
/** Share of the source a summary may take. */
const SHARE = 0.5;
/** No tokens are bought, so none are counted. */
const FREE: Usage = {
  input: 0,
  output: 0,
  cache_read: null,
  cache_write_5m: null,
  cache_write_1h: null,
  reasoning: null,
};

const model = 'extractive';

function promptHash(purpose: DerivationPurpose, limits: { maxTokens: number }): string {
  return hashOf(['extractive', RULES_VERSION, purpose, limits.maxTokens]);
}

/**
 * The offline model: chooses sentences and reads facts by rules. Deterministic, free, in the language of the source,
 * and incapable of inventing anything. Its summaries are never over the cap.
 */
export function createExtractiveModel(options: ExtractiveOptions): LanguageModel {
  const whole = { model, stop_reason: 'stop', usage: FREE };
  return {
    provider: 'palimpsest',
    model,
    usageSemantics: 'input_includes_cache',
    promptHash,
    promptHashes: (purpose, limits) => new Set([promptHash(purpose, limits)]),
    async summarize(request, signal) {
      signal.throwIfAborted();
      const spoken = request.messages.filter((message) => message.kind === 'message');
      const source = options.countTokens(spoken.map((message) => message.text).join('\n'));
      const limit = Math.min(request.maxTokens, Math.max(40, Math.floor(source * SHARE)));
      const text = chooseSentences(request.messages, request.language, limit, options.countTokens);
      if (text === '') {
        const found = 'No sentence of the source fits the cap, or nobody said anything';
        throw new UnusableAnswerError(
          `${found} (${request.messages.length} messages, cap ${limit} tokens).`,
          {
            reason: 'empty',
            answer: '',
            stopReason: 'stop',
            usage: FREE,
            model,
          },
        );
      }
      return {
        ...whole,
        answer_hash: hashOf([text]),
        text,
        carried: carriedIdentifiers(request.messages, text),
        prompt_hash: promptHash('summary', request),
        input_hash: inputHash(request),
      };
    },
    async extractFacts(request, signal) {
      signal.throwIfAborted();
      const facts = readFacts(request);
      return {
        ...whole,
        answer_hash: hashOf([facts]),
        facts,
        prompt_hash: promptHash('facts', request),
        input_hash: inputHash(request),
      };
    },
  };
}

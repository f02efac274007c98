import { carriedIdentifiers } from '@palimpsest/strategy';
import type {
  DerivationPurpose,
  FactsAnswer,
  FactsRequest,
  LanguageModel,
  SummarizeRequest,
} from '../language-model.js';
import { UnusableAnswerError, type UnusableReason } from '../model-errors.js';
import { hashOf, inputHash } from '../request-hash.js';
import { complete, type Completion, type EndpointSettings } from './chat-completions.js';
import { isFactsShape, readFactsAnswer } from './facts-schema.js';
import { parseJsonAnswer } from './parse-json-answer.js';
import {
  FACTS_INSTRUCTIONS,
  FACTS_SCHEMA_TEXT,
  factsPrompt,
  SUMMARY_INSTRUCTIONS,
  summaryPrompt,
  type ChatPrompt,
} from './prompts.js';
import { isUnsupported, responseFormat, type Rung, RUNGS, saysUnsupported } from './structured-output.js';

export interface OpenAICompatibleOptions extends EndpointSettings {
  model: string;
  /** As the ledger's prices name it. Default `openai-compatible`. */
  provider?: string;
  /** Default `max_tokens`; OpenAI's reasoning models want `max_completion_tokens`. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Null = not sent, for models that refuse it. Default 0. */
  temperature?: number | null;
}

/** Room over the cap, so that an answer a little too long comes whole and can be shortened instead of being cut off. */
const HEADROOM = 1.5;

function promptHash(purpose: DerivationPurpose, limits: { maxTokens: number }): string {
  return purpose === 'summary'
    ? hashOf(['summary', SUMMARY_INSTRUCTIONS, limits.maxTokens])
    : hashOf(['facts', FACTS_INSTRUCTIONS, FACTS_SCHEMA_TEXT, limits.maxTokens]);
}

/** Any server that speaks `POST /chat/completions`: OpenAI, OpenRouter, Ollama, vLLM, llama.cpp and gateways. */
export function createOpenAICompatibleModel(options: OpenAICompatibleOptions): LanguageModel {
  let rung = 0; // the best way to ask for JSON that this endpoint is known to serve
  const provider = options.provider ?? 'openai-compatible';

  const bodyOf = (prompt: ChatPrompt, maxTokens: number): Record<string, unknown> => ({
    model: options.model,
    messages: [
      { role: 'system', content: prompt.system },
      { role: 'user', content: prompt.user },
    ],
    [options.maxTokensField ?? 'max_tokens']: Math.ceil(maxTokens * HEADROOM),
    ...(options.temperature === null ? {} : { temperature: options.temperature ?? 0 }),
  });

  const unusable = (reason: UnusableReason, why: string, answer: Completion): UnusableAnswerError =>
    new UnusableAnswerError(`The answer of ${options.model} cannot be used: ${why}.`, {
      reason,
      answer: answer.text,
      stopReason: answer.stopReason,
      usage: answer.usage,
      model: answer.model || options.model,
    });

  const whole = (answer: Completion): Completion => {
    if (answer.stopReason === 'length')
      throw unusable('cut_off', 'it was cut off at the token limit', answer);
    if (answer.stopReason === 'content_filter')
      throw unusable('filtered', 'the provider withheld it', answer);
    if (answer.text.trim() === '') throw unusable('empty', 'it is empty', answer);
    return answer;
  };

  async function askForFacts(request: FactsRequest, signal: AbortSignal): Promise<Completion> {
    for (;;) {
      const way: Rung = RUNGS[rung] ?? 'prompt';
      const body = {
        ...bodyOf(factsPrompt(request, way !== 'json_schema'), request.maxTokens),
        ...responseFormat(way),
      };
      try {
        const last = way === 'prompt';
        return await complete(
          options,
          body,
          signal,
          (status, text) => last || !saysUnsupported(status, text),
        );
      } catch (error) {
        if (way === 'prompt' || !isUnsupported(error)) throw error;
        rung = Math.max(rung, RUNGS.indexOf(way) + 1);
      }
    }
  }

  const about = (answer: Completion) => ({
    model: answer.model || options.model,
    stop_reason: answer.stopReason,
    usage: answer.usage,
  });

  return {
    provider,
    model: options.model,
    usageSemantics: 'input_includes_cache',
    promptHash,
    async summarize(request: SummarizeRequest, signal) {
      const answer = whole(
        await complete(options, bodyOf(summaryPrompt(request), request.maxTokens), signal),
      );
      const text = answer.text.trim();
      return {
        ...about(answer),
        text,
        carried: carriedIdentifiers(request.messages, text),
        prompt_hash: promptHash('summary', request),
        input_hash: inputHash(request),
      };
    },
    async extractFacts(request, signal): Promise<FactsAnswer> {
      const answer = whole(await askForFacts(request, signal));
      const parsed = parseJsonAnswer(answer.text, isFactsShape);
      if (!parsed.ok) throw unusable('not_json', parsed.why, answer);
      const facts = readFactsAnswer(
        parsed.value,
        request.messages.map((message) => message.id),
      );
      if (typeof facts === 'string') throw unusable('wrong_shape', facts, answer);
      return {
        ...about(answer),
        facts,
        prompt_hash: promptHash('facts', request),
        input_hash: inputHash(request),
      };
    },
  };
}

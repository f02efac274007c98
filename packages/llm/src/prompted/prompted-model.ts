import { createHash } from 'node:crypto';
import { carriedIdentifiers } from '@palimpsest/strategy';
import type {
  DerivationPurpose,
  FactsRequest,
  LanguageModel,
  PromptAbout,
  SummarizeRequest,
} from '../language-model.js';
import { UnusableAnswerError, type UnusableReason } from '../model-errors.js';
import { hashOf, inputHash } from '../request-hash.js';
import type { ChatProtocol, Completion } from './chat-protocol.js';
import { repeatsPrompt, whatIsWrong } from './check-summary.js';
import { FACTS_WIRE_SCHEMA, isFactsShape, readFactsAnswer } from './facts-schema.js';
import { parseJsonAnswer } from './parse-json-answer.js';
import { readPromptBook } from './prompt-book.js';
import { type ChatPrompt, FACTS_SCHEMA_TEXT, factsPrompt, summaryPrompt } from './prompts.js';
import { createLadder } from './rungs.js';

export interface PromptedOptions {
  /** A folder of prompts that take the place of those shipped, file by file. */
  promptsFolder?: string | null;
}

/** Room over the cap, so that an answer a little too long comes whole and can be shortened instead of being cut off. */
const HEADROOM = 1.5;

/** A language model that is told in words what to do, over whatever protocol. */
export function createPromptedModel(protocol: ChatProtocol, options: PromptedOptions = {}): LanguageModel {
  const book = readPromptBook(options.promptsFolder);
  const ladder = createLadder(protocol);
  // Some servers accept a schema and do not hold it: then it is said in words as well.
  let heedsSchema = true;

  const hashOfText = (purpose: DerivationPurpose, text: string, maxTokens: number): string =>
    purpose === 'summary'
      ? hashOf(['summary', text, maxTokens, protocol.summaryVariant ?? null])
      : hashOf(['facts', text, FACTS_SCHEMA_TEXT, maxTokens]);
  const promptHash = (
    purpose: DerivationPurpose,
    limits: { maxTokens: number },
    about: PromptAbout = {},
  ): string => hashOfText(purpose, book.instructions(purpose, about), limits.maxTokens);

  const unusable = (reason: UnusableReason, why: string, answer: Completion): UnusableAnswerError =>
    new UnusableAnswerError(`The answer of ${protocol.model} cannot be used: ${why}`, {
      reason,
      answer: answer.text,
      stopReason: answer.stopReason,
      usage: answer.usage,
      model: answer.model || protocol.model,
    });
  const whole = (answer: Completion): Completion => {
    if (answer.end === 'cut_off') throw unusable('cut_off', 'it was cut off at the token limit', answer);
    if (answer.end === 'filtered') throw unusable('filtered', 'the provider withheld it', answer);
    if (!/[\p{L}\p{N}]/u.test(answer.text)) throw unusable('empty', 'it is empty', answer);
    return answer;
  };
  const about = (answer: Completion) => ({
    model: answer.model || protocol.model,
    stop_reason: answer.stopReason,
    usage: answer.usage,
    answer_hash: createHash('sha256').update(answer.text).digest('hex'),
  });
  async function askForFacts(request: FactsRequest, signal: AbortSignal): Promise<Completion> {
    const instructions = book.instructions('facts', request);
    const { completion, rung } = await ladder.ask((on) => {
      const prompt = factsPrompt(instructions, request, on !== 'json_schema' || !heedsSchema);
      const json = { rung: on, name: 'facts', schema: FACTS_WIRE_SCHEMA };
      return { ...withRoom(prompt, request.maxTokens), json };
    }, signal);
    const answer = whole(completion);
    if (rung === 'json_schema' && !isFactsShape(jsonOf(answer))) heedsSchema = false;
    return answer;
  }

  return {
    provider: protocol.provider,
    model: protocol.model,
    usageSemantics: protocol.usageSemantics,
    promptHash,
    promptHashes: (purpose, { maxTokens }) =>
      new Set(book.all(purpose).map((text) => hashOfText(purpose, text, maxTokens))),
    async summarize(request: SummarizeRequest, signal) {
      const instructions = book.instructions('summary', request);
      const ask = withRoom(summaryPrompt(instructions, request), request.maxTokens);
      const answer = whole(await (protocol.summarize ?? protocol.complete)(ask, signal));
      const text = answer.text.trim();
      const wrong = whatIsWrong(text, instructions, request);
      if (wrong !== null) throw unusable(wrong.reason, wrong.why, answer);
      return {
        ...about(answer),
        text,
        carried: carriedIdentifiers(request.messages, text),
        prompt_hash: promptHash('summary', request, request),
        input_hash: inputHash(request),
      };
    },
    async extractFacts(request, signal) {
      const answer = await askForFacts(request, signal);
      // The instructions hold an empty answer as an example: given back, they are none.
      if (
        !answer.text.trim().startsWith('{') &&
        repeatsPrompt(answer.text, book.instructions('facts', request))
      )
        throw unusable('prompt_echo', 'it repeats the prompt', answer);
      const parsed = parseJsonAnswer(answer.text, isFactsShape);
      if (!parsed.ok) throw unusable('not_json', parsed.why, answer);
      const sources = request.messages.map((message) => message.id);
      const facts = readFactsAnswer(parsed.value, sources, request.timeZone);
      if (typeof facts === 'string') throw unusable('wrong_shape', facts, answer);
      return {
        ...about(answer),
        facts,
        prompt_hash: promptHash('facts', request, request),
        input_hash: inputHash(request),
      };
    },
  };
}

function jsonOf(answer: Completion): unknown {
  const parsed = parseJsonAnswer(answer.text, isFactsShape);
  return parsed.ok ? parsed.value : null;
}

function withRoom(prompt: ChatPrompt, maxTokens: number): ChatPrompt & { maxTokens: number } {
  return { ...prompt, maxTokens: Math.ceil(maxTokens * HEADROOM) };
}

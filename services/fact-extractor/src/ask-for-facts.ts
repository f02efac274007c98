import { createHash } from 'node:crypto';
import type { ModelCall, RefusedPart } from '@palimpsest/derivations';
import type { ExtractedFact } from '@palimpsest/events';
import {
  type FactsAnswer,
  type FactsRequest,
  type LanguageModel,
  UnusableAnswerError,
} from '@palimpsest/llm';
import { checkFacts } from './check-facts.js';

export type FactsResult =
  | { ok: true; facts: ExtractedFact[]; refused: RefusedPart | null; model: string; stopReason: string }
  | { ok: false; reason: string; answer: string };

/**
 * Facts of a block in at most two calls: an answer that cannot be used is asked for once more, with what was wrong and
 * the schema repeated. Facts that the user's own messages do not bear out are left out and told apart: what an
 * assistant says, what a tool returns and what a model invents states nothing about the user.
 */
export async function askForFacts(
  model: LanguageModel,
  request: FactsRequest,
  calls: ModelCall[],
  signal: AbortSignal,
): Promise<FactsResult> {
  let answer = await call(model, request, calls, signal);
  if (answer instanceof UnusableAnswerError) {
    answer = await call(model, { ...request, reminder: answer.message }, calls, signal);
  }
  if (answer instanceof UnusableAnswerError)
    return { ok: false, reason: answer.reason, answer: answer.answer };
  const { facts, refused } = checkFacts(answer.facts, request);
  const part = refused.length === 0 ? null : { reason: reasonOf(refused), answer: JSON.stringify(refused) };
  return { ok: true, facts, refused: part, model: answer.model, stopReason: answer.stop_reason };
}

function reasonOf(refused: readonly { why: string }[]): string {
  return [...new Set(refused.map(({ why }) => why))].toSorted().join(', ');
}

async function call(
  model: LanguageModel,
  request: FactsRequest,
  calls: ModelCall[],
  signal: AbortSignal,
): Promise<FactsAnswer | UnusableAnswerError> {
  const start = performance.now();
  const paid = (by: string, usage: ModelCall['usage'], answerHash: string): void => {
    calls.push({ model: by, usage, latencyMs: Math.round(performance.now() - start), answerHash });
  };
  try {
    const answer = await model.extractFacts(request, signal);
    paid(answer.model, answer.usage, answer.answer_hash);
    return answer;
  } catch (error) {
    if (!(error instanceof UnusableAnswerError)) throw error;
    paid(error.model, error.usage, createHash('sha256').update(error.answer).digest('hex'));
    return error;
  }
}

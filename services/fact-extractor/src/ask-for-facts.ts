import type { ModelCall } from '@palimpsest/derivations';
import type { ExtractedFact } from '@palimpsest/events';
import {
  type FactsAnswer,
  type FactsRequest,
  type LanguageModel,
  UnusableAnswerError,
} from '@palimpsest/llm';

export type FactsResult =
  | { ok: true; facts: ExtractedFact[]; model: string; stopReason: string }
  | { ok: false; reason: string; answer: string };

/**
 * Facts of a block in at most two calls: an answer that cannot be used is asked for once more, with what was wrong and
 * the schema repeated. Facts whose source is not a message of the user are dropped: what an assistant says and what a
 * tool returns states nothing about the user.
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
  const users = new Map(
    request.messages.flatMap((message) =>
      message.kind === 'message' && message.role === 'user' ? [[message.id, message.at] as const] : [],
    ),
  );
  const facts = answer.facts.flatMap((fact) => {
    const said = users.get(fact.source_id);
    return said === undefined ? [] : [{ ...fact, valid_from: fact.valid_from ?? said }];
  });
  return { ok: true, facts, model: answer.model, stopReason: answer.stop_reason };
}

async function call(
  model: LanguageModel,
  request: FactsRequest,
  calls: ModelCall[],
  signal: AbortSignal,
): Promise<FactsAnswer | UnusableAnswerError> {
  const start = performance.now();
  const paid = (by: string, usage: ModelCall['usage']): void => {
    calls.push({ model: by, usage, latencyMs: Math.round(performance.now() - start) });
  };
  try {
    const answer = await model.extractFacts(request, signal);
    paid(answer.model, answer.usage);
    return answer;
  } catch (error) {
    if (!(error instanceof UnusableAnswerError)) throw error;
    paid(error.model, error.usage);
    return error;
  }
}

import { createHash } from 'node:crypto';
import type { ModelCall } from '@palimpsest/derivations';
import {
  cutAtSentence,
  type LanguageModel,
  type SummarizeRequest,
  type SummaryAnswer,
  UnusableAnswerError,
} from '@palimpsest/llm';
import { carriedIdentifiers } from '@palimpsest/strategy';

export type SummaryResult =
  | { ok: true; text: string; carried: string[]; model: string; stopReason: string }
  | { ok: false; reason: string; answer: string };

export interface SummaryAsk {
  model: LanguageModel;
  request: SummarizeRequest;
  /** Tokens of what the summary replaces. */
  sourceTokens: number;
  count(text: string): number;
  /** Every paid answer is added. */
  calls: ModelCall[];
}

/**
 * A summary within its cap, in at most two calls. An answer that cannot be used is asked for once more, with what was
 * wrong; one over the cap is sent back once to be shortened, then cut at a sentence. One not smaller than its source is
 * refused.
 */
export async function askForSummary(ask: SummaryAsk, signal: AbortSignal): Promise<SummaryResult> {
  const cap = ask.request.maxTokens;
  let answer = await call(ask, ask.request, signal);
  if (answer instanceof UnusableAnswerError)
    answer = await call(ask, { ...ask.request, reminder: answer.message }, signal);
  else if (ask.count(answer.text) > cap) {
    const shorter = await call(ask, { ...ask.request, tooLong: answer.text }, signal);
    if (!(shorter instanceof UnusableAnswerError) && ask.count(shorter.text) < ask.count(answer.text))
      answer = shorter;
  }
  if (answer instanceof UnusableAnswerError)
    return { ok: false, reason: answer.reason, answer: answer.answer };

  const text = cutAtSentence(answer.text, cap, ask.count);
  if (text === '') return { ok: false, reason: 'no_sentence_within_cap', answer: answer.text };
  // Not the model's word for it: identifiers survive whatever it forgets.
  const carried = carriedIdentifiers(ask.request.messages, text);
  if (summaryTokens(text, carried, ask.count) >= ask.sourceTokens) {
    return { ok: false, reason: 'larger_than_source', answer: text };
  }
  return { ok: true, text, carried, model: answer.model, stopReason: answer.stop_reason };
}

/** Tokens of a summary as it is shown: its text and, a line below, what it carries. */
export function summaryTokens(
  text: string,
  carried: readonly string[],
  count: (text: string) => number,
): number {
  return count(carried.length === 0 ? text : `${text}\n${carried.join(', ')}`);
}

async function call(
  ask: SummaryAsk,
  request: SummarizeRequest,
  signal: AbortSignal,
): Promise<SummaryAnswer | UnusableAnswerError> {
  const start = performance.now();
  const paid = (model: string, usage: ModelCall['usage'], answerHash: string): void => {
    ask.calls.push({ model, usage, latencyMs: Math.round(performance.now() - start), answerHash });
  };
  try {
    const answer = await ask.model.summarize(request, signal);
    paid(answer.model, answer.usage, answer.answer_hash);
    return answer;
  } catch (error) {
    if (!(error instanceof UnusableAnswerError)) throw error;
    paid(error.model, error.usage, createHash('sha256').update(error.answer).digest('hex'));
    return error;
  }
}

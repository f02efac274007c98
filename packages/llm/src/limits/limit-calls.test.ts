import { describe, expect, it } from 'vitest';
import type { LanguageModel, SummarizeRequest, SummaryAnswer } from '../language-model.js';
import { limitCalls } from './limit-calls.js';

const request = (tenant: string): SummarizeRequest => ({
  messages: [],
  language: null,
  maxTokens: 10,
  tenant,
});
const signal = new AbortController().signal;

/** A model whose calls are answered by hand. */
function byHand() {
  const calls: (() => void)[] = [];
  const model = {
    summarize: () => new Promise<SummaryAnswer>((resolve) => calls.push(() => resolve({} as SummaryAnswer))),
  } as Partial<LanguageModel> as LanguageModel;
  return { model, calls };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('limits of calls', () => {
  it('lets calls above the concurrency wait, in order', async () => {
    const { model, calls } = byHand();
    const limited = limitCalls(model, { concurrency: 1 });
    const both = [limited.summarize(request('a'), signal), limited.summarize(request('b'), signal)];
    await turn();
    expect(calls).toHaveLength(1);
    calls[0]?.();
    await both[0];
    await turn();
    expect(calls).toHaveLength(2);
    calls[1]?.();
    await both[1];
  });

  it('holds the call of a tenant above its own, and lets others through', async () => {
    const { model, calls } = byHand();
    const limited = limitCalls(model, { tenantConcurrency: 1 });
    const first = limited.summarize(request('a'), signal);
    await expect(limited.summarize(request('a'), signal)).rejects.toMatchObject({
      held: true,
      retryable: true,
    });
    const other = limited.summarize(request('b'), signal);
    await turn();
    expect(calls).toHaveLength(2);
    for (const answer of calls) answer();
    await Promise.all([first, other]);
    const again = limited.summarize(request('a'), signal);
    await turn();
    calls[2]?.();
    await again;
  });

  it('gives a place up when the one who waits for it is stopped', async () => {
    const { model, calls } = byHand();
    const limited = limitCalls(model, { concurrency: 1 });
    const first = limited.summarize(request('a'), signal);
    const stopping = new AbortController();
    const second = limited.summarize(request('a'), stopping.signal);
    await turn();
    stopping.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    calls[0]?.();
    await first;
    const third = limited.summarize(request('a'), signal);
    await turn();
    calls[1]?.();
    await third;
  });
});

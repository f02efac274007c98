import type { ModelCall } from '@palimpsest/derivations';
import { type LanguageModel, type SummarizeRequest, UnusableAnswerError } from '@palimpsest/llm';
import { describe, expect, it } from 'vitest';
import { askForSummary } from './ask-for-summary.js';

const usage = {
  input: 1,
  output: 1,
  cache_read: null,
  cache_write_5m: null,
  cache_write_1h: null,
  reasoning: null,
};
const words = (text: string): number => text.split(/\s+/u).filter((word) => word !== '').length;
const request: SummarizeRequest = { messages: [], language: null, maxTokens: 10 };

/** A model that gives these answers in turn; null is an empty answer. */
function scripted(...answers: (string | null)[]): { model: LanguageModel; asked: SummarizeRequest[] } {
  const asked: SummarizeRequest[] = [];
  const model = {
    async summarize(given: SummarizeRequest) {
      const text = answers[asked.length];
      asked.push(given);
      if (text === null || text === undefined) {
        throw new UnusableAnswerError('empty', {
          reason: 'empty',
          answer: '',
          stopReason: 'stop',
          usage,
          model: 'm',
        });
      }
      return {
        text,
        carried: [],
        model: 'm',
        stop_reason: 'stop',
        usage,
        prompt_hash: 'p',
        input_hash: 'i',
        answer_hash: 'a',
      };
    },
  } as Partial<LanguageModel> as LanguageModel;
  return { model, asked };
}
async function ask(answers: (string | null)[], sourceTokens = 100) {
  const { model, asked } = scripted(...answers);
  const calls: ModelCall[] = [];
  const result = await askForSummary(
    { model, request, sourceTokens, count: words, calls },
    new AbortController().signal,
  );
  return { result, asked, calls };
}

describe('asking for a summary', () => {
  it('takes an answer within the cap with one call', async () => {
    const { result, calls } = await ask(['Short and good.']);
    expect(result).toMatchObject({ ok: true, text: 'Short and good.' });
    expect(calls).toHaveLength(1);
  });

  it('sends a long one back once, then cuts it at a sentence (case 04)', async () => {
    const long = 'One two three four. Five six seven eight. Nine ten eleven twelve.';
    const { result, asked } = await ask([long, `${long} Thirteen.`]);
    expect(asked.map((one) => one.tooLong)).toEqual([undefined, long]);
    expect(result).toMatchObject({ ok: true, text: 'One two three four. Five six seven eight.' });
  });

  it('takes the shortened one', async () => {
    const { result } = await ask(['a '.repeat(20), 'Good now.']);
    expect(result).toMatchObject({ ok: true, text: 'Good now.' });
  });

  it('asks once more after an empty answer, and not a third time', async () => {
    expect((await ask([null, 'Good.'])).result).toMatchObject({ ok: true });
    const { result, calls } = await ask([null, null, 'Good.']);
    expect(result).toMatchObject({ ok: false, reason: 'empty' });
    expect(calls).toHaveLength(2);
  });

  it('refuses a summary that is not smaller than its source (case 03)', async () => {
    const { result, calls } = await ask(['One two three four five.'], 5);
    expect(result).toMatchObject({ ok: false, reason: 'larger_than_source' });
    expect(calls).toHaveLength(1);
  });

  it('refuses one whose first sentence is over the cap', async () => {
    const endless = 'a '.repeat(20);
    expect((await ask([endless, endless])).result).toMatchObject({
      ok: false,
      reason: 'no_sentence_within_cap',
    });
  });
});

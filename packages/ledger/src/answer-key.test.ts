import { describe, expect, it } from 'vitest';
import { answerKey, stepVersion } from './answer-key.js';
import { normalizeUsage } from './normalize-usage.js';

const ids = { request_id: null, answer_id: null, event_id: 'E' };

describe('answerKey', () => {
  it('is the request, where empty the answer, where empty the event', () => {
    expect(answerKey({ ...ids, request_id: 'R', answer_id: 'A' })).toBe('request:R');
    expect(answerKey({ ...ids, request_id: '', answer_id: 'A' })).toBe('answer:A');
    expect(answerKey({ ...ids, answer_id: '' })).toBe('event:E');
  });

  it('keeps a request and an answer of one name apart', () => {
    expect(answerKey({ ...ids, request_id: 'X' })).not.toBe(answerKey({ ...ids, answer_id: 'X' }));
  });
});

const version = (input: number, output: number, final: boolean, occurred_at = 5, event_id = 'e') => {
  const counts = {
    input,
    output,
    cache_read: null,
    cache_write_5m: null,
    cache_write_1h: null,
    reasoning: null,
  };
  return stepVersion({ final, occurred_at, event_id }, normalizeUsage('openai', counts));
};

describe('stepVersion', () => {
  it('puts a final report above every partial one, then the greater usage, then the later', () => {
    const rising = [
      version(0, 0, false),
      version(1e12, 3, false, 9),
      version(10, 4, false),
      version(10, 4, false, 6),
      version(0, 0, true),
      version(10, 159, true),
      version(11, 159, true, 0),
    ];
    expect(rising.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(rising);
  });

  it('is equal only for one event, and fits 256 bits', () => {
    expect(version(1, 1, true, 5, 'a')).toBe(version(1, 1, true, 5, 'a'));
    expect(version(1, 1, true, 5, 'a')).not.toBe(version(1, 1, true, 5, 'b'));
    expect(version(1e12, 1e12, true, 2 ** 48 - 1) < 1n << 256n).toBe(true);
  });
});

import type { Usage } from '@palimpsest/events';

/** The model gave no answer: network, timeout, HTTP status. Nothing is known to have been paid. */
export class ModelCallError extends Error {
  /** Whether the same call may succeed later. False: the request, the key or the model's name is wrong. */
  readonly retryable: boolean;
  /** HTTP status, or null when no answer came at all. */
  readonly status: number | null;
  /** What the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    options: { retryable: boolean; status?: number | null; retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelCallError';
    this.retryable = options.retryable;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export type UnusableReason = 'empty' | 'cut_off' | 'filtered' | 'not_json' | 'wrong_shape';

/** The model answered, and was paid, but the answer cannot be used. The text is kept for a person to see. */
export class UnusableAnswerError extends Error {
  readonly reason: UnusableReason;
  readonly answer: string;
  readonly stopReason: string;
  readonly usage: Usage | null;
  /** The model that answered. */
  readonly model: string;

  constructor(
    message: string,
    options: {
      reason: UnusableReason;
      answer: string;
      stopReason: string;
      usage: Usage | null;
      model: string;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.name = 'UnusableAnswerError';
    this.reason = options.reason;
    this.answer = options.answer;
    this.stopReason = options.stopReason;
    this.usage = options.usage;
    this.model = options.model;
  }
}

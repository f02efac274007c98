import type { Usage } from '@palimpsest/events';

/** The model gave no answer: network, timeout, HTTP status, or a limit of ours. Nothing is known to have been paid. */
export class ModelCallError extends Error {
  /** Whether the same call may succeed later. False: the request, the key or the model's name is wrong. */
  readonly retryable: boolean;
  /** HTTP status, or null when no answer came at all. */
  readonly status: number | null;
  /** What the provider, or our own limit, asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** No request was sent: a limit or an open circuit held it back. */
  readonly held: boolean;

  constructor(
    message: string,
    options: {
      retryable: boolean;
      status?: number | null;
      retryAfterMs?: number | null;
      held?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelCallError';
    this.retryable = options.retryable;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.held = options.held ?? false;
  }

  /** This very request comes to nothing (too long, a bad parameter, an endless answer), and would again. */
  get refusesRequest(): boolean {
    return !this.retryable && this.status !== null && [200, 400, 413, 422].includes(this.status);
  }
}

/**
 * Why an answer was not taken: nothing said, cut off at the limit, withheld or declined, no JSON, other JSON, another
 * language than the source's, the prompt given back, orders to the agent, or nothing to do with the source.
 */
export type UnusableReason =
  | 'empty'
  | 'cut_off'
  | 'filtered'
  | 'not_json'
  | 'wrong_shape'
  | 'wrong_language'
  | 'prompt_echo'
  | 'instructions'
  | 'not_of_source';

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

/** The work can succeed later as it is: backs off and keeps the partition. */
export class RetryableError extends Error {
  override name = 'RetryableError';
}

/** This one record can never be handled: it goes to the dead letters, the partition goes on. */
export class PoisonError extends Error {
  override name = 'PoisonError';
  readonly offset: bigint;
  /** A short word for metrics and listings: `decode`, `handler`, or the handler's own. */
  readonly errorClass: string;
  constructor(message: string, options: { offset: bigint; errorClass?: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.offset = options.offset;
    this.errorClass = options.errorClass ?? 'handler';
  }
}

/** Nobody but an operator can help: stops the consumer; the process ends with a non-zero code. */
export class FatalError extends Error {
  override name = 'FatalError';
}

/** The checkpoint is not where this owner left it: another process owns the partition. Nothing was written. */
export class StaleOwnerError extends Error {
  override name = 'StaleOwnerError';
}

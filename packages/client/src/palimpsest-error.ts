/** An answer that is no success. `problem` is the problem document (RFC 9457) where the server sent one. */
export class PalimpsestError extends Error {
  override name = 'PalimpsestError';

  constructor(
    message: string,
    /** HTTP status; 0 where no answer came. */
    readonly status: number,
    readonly problem: Readonly<Record<string, unknown>> | null,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Bytes that are no event of ours, and never will be: retrying is useless, the record belongs to dead letters. */
export class UndecodableError extends Error {
  override name = 'UndecodableError';
}

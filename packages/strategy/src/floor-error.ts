/**
 * What must be in the context does not fit into its budget: an explicit error with the breakdown, never a context
 * that is too large and never a loop.
 */
export class FloorError extends Error {
  override name = 'FloorError';
  constructor(
    readonly budget: number,
    /** Tokens of each part of the floor. */
    readonly floor: { rules: number; pins: number; newest: number },
  ) {
    super(
      `The pinned part of the context does not fit into ${budget} tokens: pins ${floor.pins}, rules ${floor.rules}, ` +
        `newest ${floor.newest} at least. Unpin messages, shorten the rules, or ask for a larger budget.`,
    );
  }
}

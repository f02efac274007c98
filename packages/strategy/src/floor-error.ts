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
    message?: string,
  ) {
    super(
      message ??
        `The pinned part of the context does not fit into ${budget} tokens: pins ${floor.pins}, rules ${floor.rules}, ` +
          `newest ${floor.newest} at least. Unpin messages, shorten the rules, or ask for a larger budget.`,
    );
  }
}

/** The rules alone take more than the strategy's slot for them: no budget helps, their author has to shorten them. */
export class RulesError extends FloorError {
  override name = 'RulesError';
  constructor(budget: number, floor: FloorError['floor'], slot: number) {
    super(
      budget,
      floor,
      `The rules take ${floor.rules} tokens, their slot has ${slot}. Shorten the system messages, or give "slots.system" more in the strategy.`,
    );
  }
}

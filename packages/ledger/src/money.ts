/**
 * Exact money. One unit is a picodollar, 1e-12 of a dollar: a price of one millionth of a dollar per million tokens is
 * one picodollar per token, so every cost is a whole number and equals the ledger's Decimal(38, 12).
 */
export type Picodollars = bigint;

const PLACES = 12;

/** `0.003360000000`: always 12 places, as ClickHouse's Decimal(38, 12) reads it. */
export function toDecimal(amount: Picodollars): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(PLACES + 1, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

/**
 * Dollars per million tokens, as text, into picodollars per token. At most 6 places: a finer price could not be
 * charged exactly. Throws on anything else, exponents and signs included.
 */
export function pricePerToken(dollarsPerMillion: string): Picodollars {
  const match = /^(\d{1,12})(?:\.(\d{1,6}?)0*)?$/.exec(dollarsPerMillion);
  if (match === null) {
    throw new Error(
      `"${dollarsPerMillion}" is no price: write dollars per million tokens with at most 6 places, such as "0.075".`,
    );
  }
  return BigInt(match[1]! + (match[2] ?? '').padEnd(6, '0'));
}

/** The value as a number, where it is a JSON number. */
export function numberOf(value: unknown): number | undefined {
  if (isExactNumber(value)) return Number(String(value));
  return typeof value === 'number' ? value : undefined;
}

/** The value as an object with named members; undefined for arrays, null and scalars. */
export function objectOf(value: unknown): Record<string, unknown> | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || isExactNumber(value)) {
    return undefined;
  }
  return value as Record<string, unknown>;
}

/** The value as a list. */
export function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? (value as unknown[]) : undefined;
}

/** The value as a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * A number that `parseJson` of @palimpsest/events kept as its digits (`String(value)`), since JavaScript would write it
 * otherwise: `10.00`, 2^53 + 1.
 */
export function isExactNumber(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  // by its class, not only its mark: data may hold a member of that name
  return 'isLosslessNumber' in value && Object.getPrototypeOf(value) !== Object.prototype;
}

/**
 * The same value with every exact number as the nearest JavaScript number; `exact` is false where that changed a value,
 * not only its writing.
 */
export function plainJson(value: unknown): { plain: unknown; exact: boolean } {
  let exact = true;
  const replaced = (inner: unknown): unknown => {
    if (isExactNumber(inner)) {
      const number = numberOf(inner) ?? Number.NaN;
      const isInteger = /^-?\d+$/.test(String(inner));
      if (!Number.isFinite(number) || (isInteger && !Number.isSafeInteger(number))) exact = false;
      return number;
    }
    if (Array.isArray(inner)) return inner.map(replaced);
    const members = objectOf(inner);
    if (members === undefined) return inner;
    return Object.fromEntries(Object.entries(members).map(([key, entry]) => [key, replaced(entry)]));
  };
  return { plain: replaced(value), exact };
}

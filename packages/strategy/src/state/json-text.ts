/**
 * JSON with numbers as they were written: what a service reads and writes patches with. Values are plain objects,
 * arrays and scalars; a number that a double cannot give back may be an object of a class of its own.
 */
export interface JsonText {
  /** Throws where the text is no JSON. */
  parse(text: string): unknown;
  write(value: unknown): string;
}

/** An object of JSON, and no number in an object's clothes. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

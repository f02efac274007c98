/** Type ids of pg_type. */
export const BYTEA = 17;
export const TEXT = 25;

/**
 * A one-dimensional array in PostgreSQL's binary format (array_recv): dimensions, has-nulls flag, element type,
 * length, lower bound, then length and bytes of each element. pg would write it as text, twice the size and slower.
 */
export function encodeArray(elementType: number, elements: readonly (Buffer | null)[]): Buffer {
  let size = 20;
  for (const element of elements) size += 4 + (element?.length ?? 0);
  const out = Buffer.allocUnsafe(size);
  out.writeInt32BE(1, 0);
  out.writeInt32BE(elements.includes(null) ? 1 : 0, 4);
  out.writeInt32BE(elementType, 8);
  out.writeInt32BE(elements.length, 12);
  out.writeInt32BE(1, 16);
  let at = 20;
  for (const element of elements) {
    at = out.writeInt32BE(element?.length ?? -1, at);
    if (element !== null) at += element.copy(out, at);
  }
  return out;
}

/** Longest piece that is remembered, in UTF-16 units. Longer ones hardly ever come again. */
export const MEMO_UNITS = 64;
const GENERATION_ENTRIES = 32_768;
const GENERATION_UNITS = 512 * 1024;
/** V8 makes a slice of this many units or more a view that keeps the whole text alive. */
const V8_VIEW_UNITS = 13;

/**
 * Piece -> token count. Pieces repeat heavily in chat: most look-ups end here. Two generations stand in for an exact
 * least-recently-used order: when the young one is full it becomes the old one, and what is asked for again moves back.
 * At most 65,536 entries and 1 M units (2 MB of text, plus the maps).
 */
export class PieceMemo {
  private young = new Map<string, number>();
  private old = new Map<string, number>();
  private youngUnits = 0;

  get(piece: string): number | undefined {
    const found = this.young.get(piece);
    if (found !== undefined) return found;
    const older = this.old.get(piece);
    if (older !== undefined) this.set(piece, older);
    return older;
  }

  set(piece: string, count: number): void {
    if (this.young.size >= GENERATION_ENTRIES || this.youngUnits + piece.length > GENERATION_UNITS) {
      this.old = this.young;
      this.young = new Map();
      this.youngUnits = 0;
    }
    this.young.set(piece.length < V8_VIEW_UNITS ? piece : ownCopy(piece), count);
    this.youngUnits += piece.length;
  }

  /** Entries held, for tests and metrics. */
  get size(): number {
    return this.young.size + this.old.size;
  }
}

/** Several times faster than a Buffer for strings of this size, and as true to lone surrogates. */
function ownCopy(piece: string): string {
  const units = Array.from({ length: piece.length }, (_, i) => piece.charCodeAt(i));
  return String.fromCharCode(...units);
}

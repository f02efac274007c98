import { ByteMerger, MERGE_LIMIT } from './merge-bytes.js';
import { MEMO_UNITS, PieceMemo } from './piece-memo.js';
import { type NextPiece, nextPieceOf } from './split-pieces.js';
import { unitsWithin, writeUtf8 } from './utf8.js';
import { type Encoding, NO_RANK, type Vocabulary, vocabulary } from './vocabulary.js';
import { WordReader } from './word-reader.js';

/**
 * Bytes of right-hand context that a token boundary needs to be taken as final when a long piece is merged window by
 * window: twice the longest token of both vocabularies (128 bytes).
 */
const CONTEXT = 256;
const SCRATCH_UNITS = 16 * 1024;

/** Token counts of the pieces of one encoding, with its memo. Time is linear in the text, whatever the text. */
export class PieceCounter {
  readonly nextPiece: NextPiece;
  private readonly tokens: Vocabulary;
  private readonly merger: ByteMerger;
  private readonly memo = new PieceMemo();
  private readonly words = new WordReader();
  private readonly scratch = new Uint8Array(SCRATCH_UNITS * 3);

  constructor(encoding: Encoding) {
    this.tokens = vocabulary(encoding);
    this.merger = new ByteMerger(this.tokens);
    this.nextPiece = nextPieceOf(encoding);
  }

  /** Tokens of text[from, to), split as if the text were just that. */
  count(text: string, from: number, to: number): number {
    let total = 0;
    for (let at = from; at < to; ) {
      const word = this.words.read(text, at, to);
      if (word > 0) {
        const known = this.memo.find(this.words.hash, text, at, word);
        if (known >= 0) {
          total += known;
          at = word;
          continue;
        }
      }
      const end = this.nextPiece(text, at, to);
      total += this.countPiece(text, at, end);
      at = end;
    }
    return total;
  }

  /** Tokens of the piece text[from, to). */
  countPiece(text: string, from: number, to: number): number {
    if (to - from > MEMO_UNITS) return this.countLong(text, from, to);
    const known = this.memo.get(text, from, to);
    if (known >= 0) return known;
    const length = writeUtf8(text, from, to, this.scratch);
    const whole = this.tokens.rankOf(this.scratch, 0, length) !== NO_RANK;
    const count = whole ? 1 : this.merger.count(this.scratch, 0, length);
    this.memo.set(text, from, to, count);
    return count;
  }

  /**
   * Units of the piece text[from, to) that its first `tokens` tokens cover whole (a token can end inside a character).
   * With `tokens` at or above the piece's count: all of it.
   */
  unitsOfTokens(text: string, from: number, to: number, tokens: number): number {
    const bytes = this.bytesOf(text, from, to);
    const limit = this.walk(bytes, tokens).bytes;
    return unitsWithin(text, from, to, limit);
  }

  private countLong(text: string, from: number, to: number): number {
    const bytes = this.bytesOf(text, from, to);
    if (this.tokens.rankOf(bytes, 0, bytes.length) !== NO_RANK) return 1;
    return this.walk(bytes, Number.POSITIVE_INFINITY).tokens;
  }

  private bytesOf(text: string, from: number, to: number): Uint8Array {
    // A giant piece gets its own buffer, so that no counter keeps megabytes for good.
    const buffer = to - from <= SCRATCH_UNITS ? this.scratch : new Uint8Array((to - from) * 3);
    return buffer.subarray(0, writeUtf8(text, from, to, buffer));
  }

  /**
   * Merges window by window, each starting at a token boundary of the one before that had CONTEXT bytes to its right.
   * A boundary that the whole piece's merge has too splits the count exactly; one that it has not costs about a token.
   * Stops after `limit` tokens.
   */
  private walk(bytes: Uint8Array, limit: number): { tokens: number; bytes: number } {
    let start = 0;
    let tokens = 0;
    let windowStart = -1;
    let windowTokens = 0;
    let windowBytes = 0;
    while (start < bytes.length) {
      const end = Math.min(start + MERGE_LIMIT, bytes.length);
      // A run of one letter is the same window over and over: comparing is a memcmp, merging is not.
      const same = windowStart >= 0 && sameBytes(bytes, windowStart, start, end);
      if (!same || tokens + windowTokens > limit) {
        this.merger.merge(bytes, start, end);
        const final = end === bytes.length ? end - start : MERGE_LIMIT - CONTEXT;
        windowStart = start;
        windowTokens = 0;
        windowBytes = 0;
        while (windowBytes < end - start) {
          const next = this.merger.tokenEnd(windowBytes);
          if (next > final) break;
          if (tokens + windowTokens === limit) return { tokens: limit, bytes: start + windowBytes };
          windowTokens++;
          windowBytes = next;
        }
      }
      tokens += windowTokens;
      start += windowBytes;
    }
    return { tokens, bytes: bytes.length };
  }
}

function sameBytes(bytes: Uint8Array, windowStart: number, start: number, end: number): boolean {
  return (
    end - start === MERGE_LIMIT &&
    end < bytes.length &&
    Buffer.compare(bytes.subarray(windowStart, windowStart + MERGE_LIMIT), bytes.subarray(start, end)) === 0
  );
}

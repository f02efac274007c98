/**
 * A cluster longer than this (hundreds of combining marks on one letter) is not text that a person reads as one
 * character; keeping it whole could leave nothing of the text. Such a cluster may be cut, between code points.
 */
export const MAX_CLUSTER_UNITS = 256;
/** How far back the segmenter is started at most; it is far too slow to run over whole texts. */
const LOOK_BACK = 1024;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Greatest index <= `index` where the text may be cut: no grapheme cluster and no surrogate pair is parted. */
export function soundCutBefore(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return Math.max(0, Math.min(index, text.length));
  const start = clusterStart(text, index);
  if (index - start <= MAX_CLUSTER_UNITS) return start;
  return partsPair(text, index) ? index - 1 : index;
}

/** Least index >= `index` where the text may be cut. */
export function soundCutAfter(text: string, index: number): number {
  const last = Math.min(index + MAX_CLUSTER_UNITS, text.length);
  for (let at = Math.max(0, index); at < last; at++) if (soundCutBefore(text, at) === at) return at;
  return partsPair(text, last) ? last + 1 : last;
}

/** Start of the cluster that has units on both sides of `index`; `index` itself when it lies between clusters. */
function clusterStart(text: string, index: number): number {
  if (standsAlone(text.charCodeAt(index - 1)) && standsAlone(text.charCodeAt(index))) return index;
  let from = index - 1;
  const limit = Math.max(0, index - LOOK_BACK);
  // Start between two units that stand alone: one of them could still belong to what is before it (a prefixed sign).
  while (from > limit && !(standsAlone(text.charCodeAt(from)) && standsAlone(text.charCodeAt(from - 1))))
    from--;
  if (from > 0 && partsPair(text, from)) from--;
  from = wholeFlags(text, from);
  // One code point to the right decides whether there is a boundary.
  const at = segmenter.segment(text.slice(from, index + 2)).containing(index - from);
  return at === undefined ? index : from + at.index;
}

/** Units that never join with another of their kind, so between two of them there is always a boundary. */
function standsAlone(unit: number): boolean {
  if (unit < 0x300) return unit !== 0x0d && unit !== 0x0a;
  return (
    (unit >= 0x370 && unit <= 0x482) || // Greek, Cyrillic
    (unit >= 0x48a && unit <= 0x52f) ||
    (unit >= 0x3041 && unit <= 0x3096) || // kana
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0x3400 && unit <= 0x9fff) || // CJK
    (unit >= 0xac00 && unit <= 0xd7a3) // Hangul syllables
  );
}

function partsPair(text: string, index: number): boolean {
  return (
    index > 0 &&
    (text.charCodeAt(index) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
  );
}

/** Flags are pairs of regional indicators counted from the start of their run: never start between the two of a pair. */
function wholeFlags(text: string, from: number): number {
  let at = from;
  while (at >= 2 && isRegionalIndicator(text, at - 2)) at -= 2;
  return ((from - at) / 2) % 2 === 1 ? from - 2 : from;
}

function isRegionalIndicator(text: string, index: number): boolean {
  const low = text.charCodeAt(index + 1);
  return text.charCodeAt(index) === 0xd83c && low >= 0xdde6 && low <= 0xddff;
}

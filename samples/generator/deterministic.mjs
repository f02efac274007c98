// Everything that looks random in the samples comes from here, so that generating twice gives the same bytes.
import { createHash } from 'node:crypto';

/** A UUID of version 5's form made from the given words: the same words give the same UUID. */
export function uuidOf(...words) {
  const hash = createHash('sha1').update(`palimpsest-samples\n${words.join('\n')}`).digest();
  hash[6] = (hash[6] & 0x0f) | 0x50;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** A letters-and-digits token of `length` (at most 64) characters, as request and answer ids have. */
export function tokenOf(length, ...words) {
  const digest = createHash('sha512').update(words.join('\n')).digest('base64');
  return digest.replaceAll(/[+/=]/g, '').slice(0, length);
}

/** A seeded generator (mulberry32) with the draws that the payloads need. */
export function randomOf(...words) {
  let state = createHash('sha256').update(words.join('\n')).digest().readUInt32LE(0);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const integer = (low, high) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    integer,
    pick: (list) => list[integer(0, list.length - 1)],
    hex: (length) => Array.from({ length }, () => integer(0, 15).toString(16)).join(''),
  };
}

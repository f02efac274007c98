import { createHash } from 'node:crypto';
import { IMAGE_TOKENS } from '@palimpsest/tokens';
import { marker, number } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { sniff } from './sniff.js';

const SAMPLE = 4_096;
const LEAST_ENCODED = 512;
const DATA_URL = /^data:(?:[\w.+-]{1,60}\/[\w.+-]{1,80})?(?:;[\w=.+-]{1,80}){0,4},/;
const ENCODED = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;
const HEX = /^[0-9a-f]+$/i;

/**
 * Data URLs, base64, hexadecimal and bytes read as text are never shown: only what they are, how large, a hash by which
 * two can be told apart, and for an image what it would cost to send it as one.
 */
export const binaryRule: Rule<'binary'> = {
  type: 'binary',
  mime: 'application/octet-stream',
  mimes: [
    'application/octet-stream',
    'application/pdf',
    'application/zip',
    'application/gzip',
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
  ],
  tools: /screenshot|download/i,
  accepts: isBinary,
  detects: isBinary,
  cut: cutBinary,
};

function cutBinary(text: string, context: RuleContext): RuleResult {
  const { mime, bytes } = sniff(text);
  const size = `${mime}, about ${number(bytes)} bytes`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const price = mime.startsWith('image/') ? `, about ${number(IMAGE_TOKENS)} tokens as an image` : '';
  const { handle, maxTokens, counter } = context;
  const dropped = 'all of the binary data';
  for (const what of [`${size}, sha256 ${hash}${price}, not shown`, `${size}, not shown`]) {
    const note = marker(what, handle, maxTokens, counter, 1);
    if (note.includes(what)) return { text: note, dropped };
  }
  return { text: marker(`${mime} not shown`, handle, maxTokens, counter, 1), dropped };
}

function isBinary(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  if (DATA_URL.test(sample.slice(0, 500))) return isOneLine(text);
  let odd = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const code = sample.charCodeAt(at);
    if (code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 27)) odd += 1;
  }
  return odd > sample.length * 0.1 || isEncoded(sample, text.length);
}

/** A page or a note may begin with a data URL; it is binary when that is all there is to it. */
function isOneLine(text: string): boolean {
  const end = text.indexOf('\n');
  return end < 0 || end > text.length * 0.9;
}

/**
 * Base64 on one line or wrapped (MIME, PEM), or hexadecimal: letters and digits mixed as no language mixes them, not
 * `aaaa…` or a long word.
 */
function isEncoded(sample: string, length: number): boolean {
  if (length < LEAST_ENCODED) return false;
  const lines = sample.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('-----'));
  // The last may be broken off by the sample, or be the short end.
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  const first = whole[0]?.length ?? 0;
  if (first < 40 || whole.some((line) => line.length !== first)) return false;
  const joined = whole.join('');
  if (joined.length < LEAST_ENCODED / 2) return false;
  if (HEX.test(joined)) return new Set(joined.toLowerCase()).size >= 12 && /\d/.test(joined);
  if (!ENCODED.test(joined)) return false;
  return new Set(joined).size >= 24 && /\d/.test(joined) && /[a-z]/.test(joined) && /[A-Z]/.test(joined);
}

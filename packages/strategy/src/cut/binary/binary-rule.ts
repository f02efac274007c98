import { marker, number } from '../marker.js';
import type { Rule } from '../rule.js';

const SAMPLE = 4_096;
const DATA_URL = /^data:([\w.+-]{1,60}\/[\w.+-]{1,80})?(?:;[\w=.+-]{1,80}){0,4},/;
const BASE64 = /^[A-Za-z0-9+/_-]{512,}={0,2}\s*$/;

/** Data URLs, base64 and bytes read as text are never shown: only what they are and how large. */
export const binaryRule: Rule = {
  type: 'binary',
  mimes: [
    'application/octet-stream',
    'application/pdf',
    'application/zip',
    'image/png',
    'image/jpeg',
    'image/webp',
  ],
  tools: /screenshot|download/i,
  accepts: isBinary,
  detects: isBinary,
  cut: (text, context) => {
    const mime = DATA_URL.exec(text.slice(0, 500))?.[1] ?? 'binary data';
    const what = `${mime}, ${number(text.length)} characters, not shown`;
    return {
      text: marker(what, context.handle, context.maxTokens, context.counter, 1),
      dropped: 'all of the binary data',
    };
  },
};

function isBinary(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  if (DATA_URL.test(sample.slice(0, 500))) return true;
  let odd = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const code = sample.charCodeAt(at);
    if (code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 27)) odd += 1;
  }
  if (odd > sample.length * 0.1) return true;
  return sample.length >= 2_048 && isEncoded(text);
}

/** Base64: mixed case and digits, no white space, a length of its own making; not `aaaa…` or a long word. */
function isEncoded(text: string): boolean {
  const sample = text.slice(0, 2_048);
  return (
    BASE64.test(sample) &&
    new Set(sample).size >= 24 &&
    /\d/.test(sample) &&
    /[a-z]/.test(sample) &&
    /[A-Z]/.test(sample)
  );
}

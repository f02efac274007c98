import { createHash } from 'node:crypto';
import type { Samples } from '../samples.js';

/** Bytes that look random and are the same in every run. */
function bytes(count: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, at) =>
    createHash('sha256').update(String(at)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, count);
}
const encoded = bytes(6_000).toString('base64');

export const samples: Samples = {
  natural: {
    'a data URL': `data:image/png;base64,iVBORw0KGgo${encoded}`,
    base64: `/9j/4AAQ${encoded}`,
    'base64 in lines': encoded.replaceAll(/(.{76})/g, '$1\n'),
    'base64 of URLs': bytes(6_000).toString('base64url'),
    PEM: `-----BEGIN CERTIFICATE-----\n${encoded.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
    hexadecimal: bytes(4_000).toString('hex'),
    'bytes as text': `\u0089PNG\r\n\u001a\n${Array.from({ length: 3_000 }, (_, at) => String.fromCharCode(1 + (at % 200))).join('')}`,
  },
  parts: ['data:image/png;base64,', encoded.slice(0, 300), '\n', 'word ', '\u0001\u0002\u0003', '='],
  between: '',
  hostile: {
    base64: (size) => bytes(size * 0.75).toString('base64'),
    'a data URL': (size) => `data:image/png;base64,${bytes(size * 0.75).toString('base64')}`,
    parameters: (size) => `data:a/b${';c=d'.repeat(size / 4)}`,
    'control characters': (size) => '\u0001'.repeat(size),
    hexadecimal: (size) => bytes(size / 2).toString('hex'),
  },
  fault: (rendition) => /[A-Za-z0-9+/_-]{64,}/.exec(rendition)?.[0] ?? null,
};

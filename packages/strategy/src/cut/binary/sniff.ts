/** How the base64 of well-known formats begins: their magic bytes, encoded. */
const BASE64_STARTS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
  ['UEsDB', 'application/zip'],
  ['H4sI', 'application/gzip'],
];
/** How the bytes themselves begin, read as text. */
const BYTE_STARTS: readonly (readonly [RegExp, string])[] = [
  [/^.PNG\r?\n/s, 'image/png'],
  [/^%PDF-/, 'application/pdf'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^PK../s, 'application/zip'],
  [/^.ELF/s, 'application/x-executable'],
];
const DATA_URL = /^data:([\w.+-]{1,60}\/[\w.+-]{1,80})?((?:;[\w=.+-]{1,80}){0,4}),/;

/** What binary data shown as text is, as far as its first characters tell, and how many bytes it has. */
export function sniff(text: string): { mime: string; bytes: number } {
  const start = text.slice(0, 500);
  const url = DATA_URL.exec(start);
  const payload = text.length - (url?.[0].length ?? 0);
  if (url !== null) {
    const isBase64 = (url[2] ?? '').includes(';base64');
    const mime = url[1] ?? 'text/plain';
    return { mime, bytes: isBase64 ? base64Bytes(text, payload) : payload };
  }
  const bytes = BYTE_STARTS.find(([shape]) => shape.test(start));
  if (bytes !== undefined) return { mime: bytes[1], bytes: text.length };
  const encoded = start.trimStart();
  if (/^[0-9a-f\s]+$/i.test(start)) return { mime: 'binary data in hexadecimal', bytes: text.length >> 1 };
  const known = BASE64_STARTS.find(([prefix]) => encoded.startsWith(prefix))?.[1];
  if (/^[\w+/=\s-]+$/.test(start)) return { mime: known ?? 'base64 data', bytes: base64Bytes(text, payload) };
  return { mime: 'binary data', bytes: text.length };
}

function base64Bytes(text: string, characters: number): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((characters * 3) / 4) - padding);
}

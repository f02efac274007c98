import { number } from './marker.js';

/** A data URL with enough of a payload that it is worth a note in place of it. */
const DATA_URL = /data:([\w.+-]{1,60}\/[\w.+-]{1,80})?((?:;[\w=.+-]{1,80}){0,4}),([A-Za-z0-9+/=_%-]{128,})/y;

/**
 * The text with the payload of each data URL replaced by its size: bytes are never shown as text, wherever they
 * stand. The very same string where there is none. Linear time.
 */
export function collapseDataUrls(text: string): string {
  let at = text.indexOf('data:');
  if (at < 0) return text;
  const parts: string[] = [];
  let from = 0;
  while (at >= 0) {
    DATA_URL.lastIndex = at;
    const found = DATA_URL.exec(text);
    if (found !== null) {
      const [whole, mime = '', parameters = '', payload = ''] = found;
      parts.push(text.slice(from, at), `data:${mime}${parameters},[… ${number(payload.length)} characters]`);
      from = at + whole.length;
    }
    at = text.indexOf('data:', Math.max(from, at + 5));
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

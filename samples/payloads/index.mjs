// The bulky tool results and attachments of the sessions, by name. A payload is either a file in
// payloads/files/ (name.extension), kept as it is, or a function here that makes it from seeded draws.
import { readdirSync, readFileSync } from 'node:fs';
import { randomOf } from '../generator/deterministic.mjs';
import { catalogs } from './catalogs.mjs';
import { images } from './images.mjs';
import { logs } from './logs.mjs';
import { orders } from './orders.mjs';
import { webPage } from './web-page.mjs';
import { tables } from './tables.mjs';
import { traces } from './traces.mjs';

const makers = { ...catalogs, ...images, ...logs, ...orders, ...tables, ...traces };
const folder = new URL('./files/', import.meta.url);
const files = new Map(readdirSync(folder).map((file) => [file.replace(/\.[a-z]+$/, ''), file]));

/** A payload as the session compiler takes it: `{content, content_type?}`, or an image part. */
export function payloadOf(name, conversation) {
  if (name in makers) {
    const made = makers[name](randomOf(conversation, name));
    return typeof made === 'string' ? { content: made } : made;
  }
  const file = files.get(name);
  if (!file) throw new Error(`Making payload ${name} for ${conversation}: no function and no file of that name.`);
  const text = readFileSync(new URL(file, folder), 'utf8').trimEnd();
  return { content: file.endsWith('.html') ? webPage(text) : text };
}

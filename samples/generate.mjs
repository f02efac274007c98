// Writes samples/<name>.jsonl from samples/sources/<name>.txt. The dialogue is in the sources, written by
// hand; this adds ids, times, usage and the bulky tool payloads, and gives the same bytes every time.
//   node samples/generate.mjs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compileSession } from './generator/compile-session.mjs';
import { parseSource } from './generator/parse-source.mjs';
import { payloadOf } from './payloads/index.mjs';

const sources = new URL('./sources/', import.meta.url);
for (const file of readdirSync(sources).filter((name) => name.endsWith('.txt')).toSorted()) {
  const session = parseSource(readFileSync(new URL(file, sources), 'utf8'), file);
  const events = compileSession(session, payloadOf);
  const target = new URL(`./${file.replace('.txt', '.jsonl')}`, import.meta.url);
  writeFileSync(target, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

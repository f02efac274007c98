import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)).replace(/[\\/]dist$/, ''), 'fixtures');

/** Chat written for the benches, in that language. */
export function chatFixture(language: 'en' | 'ru' | 'uk'): string {
  return readFileSync(join(folder, `chat-${language}.txt`), 'utf8');
}

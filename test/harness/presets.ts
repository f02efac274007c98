import { readFileSync } from 'node:fs';
import { type Assembled, parseStrategy, type Strategy } from '@palimpsest/strategy';
import { History } from './histories.js';

/** A strategy as it is shipped. */
export function preset(name: string): Strategy {
  const file = new URL(`../../strategies/${name}.yaml`, import.meta.url);
  return parseStrategy(readFileSync(file, 'utf8'), name);
}
/** What is sent, text by text, in order. */
export const textsOf = (context: Assembled): string[] =>
  context.pieces.flatMap((piece) =>
    piece.kind === 'unit' ? piece.unit.entries.map(({ entry }) => entry.text) : [piece.text],
  );

/** Turns of about `words` words each, told apart by their number. */
export function talk(turns: number, words: number): History {
  const history = new History();
  for (let turn = 0; turn < turns; turn += 1) {
    history.message(turn % 2 === 0 ? 'user' : 'assistant', `turn ${turn}. ${'word '.repeat(words)}`);
  }
  return history;
}

import { type BoxedLetter, readDeadLetters, replayDeadLetter } from '@palimpsest/runtime';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import { withStore } from '../stack/with-store.js';

/** `palimpsest dead-letters list`. */
export async function listDeadLettersCommand(
  asked: { all?: boolean },
  environment: Environment,
  output: Output,
): Promise<void> {
  const all = await withStore(environment, output.progress, ({ withLog }) =>
    withLog((log) => readDeadLetters(log)),
  );
  const letters = asked.all === true ? all : all.filter(({ replayedAt }) => replayedAt === null);
  const table = new Table({ head: ['place', 'taken', 'class', 'tries', 'error'], style: { head: [] } });
  for (const letter of letters) {
    table.push([
      letter.place,
      new Date(letter.timestamp).toISOString(),
      letter.replayedAt === null ? letter.errorClass : `${letter.errorClass} (replayed)`,
      letter.attempts,
      letter.error.slice(0, 100),
    ]);
  }
  output.line(letters.length === 0 ? 'There are no dead letters.' : table.toString());
  output.value(letters.map((letter) => described(letter)));
}

/** `palimpsest dead-letters show`. */
export async function showDeadLetterCommand(
  place: string,
  environment: Environment,
  output: Output,
): Promise<void> {
  const letters = await withStore(environment, output.progress, ({ withLog }) =>
    withLog((log) => readDeadLetters(log)),
  );
  const letter = found(letters, place);
  const shown = {
    ...described(letter),
    headers: letter.headers,
    value: letter.value?.toString('base64') ?? null,
  };
  for (const [name, value] of Object.entries(shown)) {
    output.line(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  output.value(shown);
}

/** `palimpsest dead-letters replay`. */
export async function replayDeadLettersCommand(
  asked: { places: readonly string[]; all: boolean },
  environment: Environment,
  output: Output,
): Promise<void> {
  if (asked.all === asked.places.length > 0) {
    throw new UsageError('Name the places to replay, as "dead-letters list" shows them, or say --all.');
  }
  await withStore(environment, output.progress, ({ withLog }) =>
    withLog(async (log) => {
      const letters = await readDeadLetters(log);
      const chosen = asked.all
        ? letters.filter(({ replayedAt }) => replayedAt === null)
        : asked.places.map((place) => found(letters, place));
      for (const letter of chosen) {
        await replayDeadLetter(log, letter);
        output.line(`replayed  ${letter.place}`);
      }
      if (chosen.length === 0) output.line('There is nothing to replay.');
      output.value({ replayed: chosen.map(({ place }) => place) });
    }),
  );
}

function found(letters: readonly BoxedLetter[], place: string): BoxedLetter {
  const letter = letters.find((one) => one.place === place);
  if (letter !== undefined) return letter;
  throw new CommandError(
    `There is no dead letter ${place}: "palimpsest dead-letters list --all" shows those there are.`,
  );
}

/** Without the message's text, which may be anyone's. */
function described(letter: BoxedLetter): Record<string, unknown> {
  return {
    place: letter.place,
    taken_at: new Date(letter.timestamp).toISOString(),
    key: letter.key,
    bytes: letter.value?.length ?? 0,
    schema_id: schemaIdOf(letter.value),
    class: letter.errorClass,
    attempts: letter.attempts,
    error: letter.error,
    replayed_at: letter.replayedAt === null ? null : new Date(letter.replayedAt).toISOString(),
  };
}

/** Of the registry: a zero byte and four of the id stand in front of what Confluent's clients write. */
function schemaIdOf(value: Buffer | null): number | null {
  return value !== null && value.length >= 5 && value[0] === 0 ? value.readInt32BE(1) : null;
}

import { Conversation, WHOLE } from './conversation.js';
import { ImportError, type ImportFormat, type ImportItem } from './import-item.js';
import { readJsonRecords } from './read-records.js';

/** How one format recognizes and reads its conversations. */
export interface ConversationReader {
  format: ImportFormat;
  /** The shape of the file, for the error that a file is not of it. */
  expected: string;
  /** Whether a JSON value is one conversation. An array that is none is taken as a list of them. */
  isConversation(value: unknown): boolean;
  /** What tells conversations of one file apart, beyond line or index. */
  path?(value: unknown): readonly string[] | undefined;
  read(value: unknown, conversation: Conversation): Iterable<ImportItem>;
}

/**
 * All conversations of a file: a JSON value, an array of such, or a line each. What is no conversation is skipped with a
 * reason; a file without any throws ImportError.
 */
export async function* splitConversations(
  reader: ConversationReader,
  file: string,
): AsyncGenerator<ImportItem> {
  let found = false;
  let wrong = false;
  for await (const record of readJsonRecords(file, reader.expected)) {
    if (record.kind === 'skipped') {
      wrong ||= record.why !== 'the file is empty';
      yield record;
      continue;
    }
    for (const part of partsOf(reader, file, record.value, record.line)) {
      if (!reader.isConversation(part.value)) {
        wrong = true;
        yield { kind: 'skipped', place: part.place, why: `not of the format ${reader.format}` };
        continue;
      }
      found = true;
      yield* readOne(reader, file, part);
    }
  }
  if (wrong && !found) {
    throw new ImportError(file, `${file} is not of the format ${reader.format}: expected ${reader.expected}`);
  }
}

interface Part {
  value: unknown;
  place: string;
  path: readonly string[];
}

function partsOf(reader: ConversationReader, file: string, value: unknown, line: number | undefined): Part[] {
  const place = line === undefined ? `${file}:0` : `${file}:${line}`;
  const path = line === undefined ? [] : [`line-${line}`];
  if (!Array.isArray(value) || reader.isConversation(value)) {
    return [{ value, place, path: reader.path?.(value) ?? path }];
  }
  return value.map((entry: unknown, index) => ({
    value: entry,
    place: line === undefined ? `${file}:${index}` : `${place} index ${index}`,
    path: reader.path?.(entry) ?? [...path, `index-${index}`],
  }));
}

function* readOne(reader: ConversationReader, file: string, part: Part): Generator<ImportItem> {
  let conversation: Conversation;
  try {
    conversation = new Conversation({
      format: reader.format,
      file,
      place: part.place,
      path: part.path,
      record: part.value,
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    yield { kind: 'skipped', place: part.place, why: 'the conversation is nested too deeply' };
    return;
  }
  let empty = true;
  for (const item of reader.read(part.value, conversation)) {
    empty = false;
    yield item;
  }
  if (empty) yield conversation.skipped(WHOLE, 'the conversation has no messages');
}

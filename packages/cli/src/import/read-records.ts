import { parseJson } from '@palimpsest/events';
import { createReadStream } from 'node:fs';
import { ImportError, type ImportItem } from './import-item.js';
import { objectOf } from './json-values.js';

/** One JSON text of a file: a line of JSONL, or the whole file. */
export interface JsonRecord {
  kind: 'record';
  value: unknown;
  /** Of a line, its number from 1; undefined where the record is the whole file. */
  line: number | undefined;
}

type Skipped = Extract<ImportItem, { kind: 'skipped' }>;

/**
 * Reads a file as JSONL (by its ending, or when its first line is JSON by itself and more lines follow), else as one
 * JSON text. JSONL is read line by line and a broken line is skipped; a JSON text is read whole. UTF-8 or UTF-16 with
 * BOM, any line ends. Throws ImportError for a file that cannot be read or is no JSON at all.
 */
export async function* readJsonRecords(file: string, expected: string): AsyncGenerator<JsonRecord | Skipped> {
  if (/\.(?:jsonl|ndjson)$/i.test(file) || (await startsAsLines(file))) {
    yield* readLineRecords(file);
    return;
  }
  const text = await readWhole(file);
  if (text.trim() === '') {
    yield { kind: 'skipped', place: `${file}:1`, why: 'the file is empty' };
    return;
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    // the first line may be the broken one of a JSONL file without the ending
    if (text.split('\n').some(isObjectLine)) {
      yield* readLineRecords(file);
      return;
    }
    throw new ImportError(file, `${file} is not JSON (${reason(cause)}); expected ${expected}`, { cause });
  }
  yield { kind: 'record', value, line: undefined };
}

/** Lines that are not blank, with their numbers from 1. */
async function* readLines(file: string): AsyncGenerator<{ text: string; number: number }> {
  let number = 0;
  let rest: string[] = [];
  // not node:readline: it also breaks lines at U+2028 and U+2029, which JSON strings may hold
  for await (const chunk of readChunks(file)) {
    const pieces = chunk.split('\n');
    for (const piece of pieces.slice(0, -1)) {
      number += 1;
      const text = rest.join('') + piece;
      rest = [];
      if (text.trim() !== '') yield { text, number };
    }
    rest.push(pieces.at(-1) ?? '');
  }
  const last = rest.join('');
  if (last.trim() !== '') yield { text: last, number: number + 1 };
}

async function* readLineRecords(file: string): AsyncGenerator<JsonRecord | Skipped> {
  let seen = false;
  for await (const { text, number } of readLines(file)) {
    seen = true;
    try {
      yield { kind: 'record', value: parseJson(text), line: number };
    } catch (cause) {
      if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause;
      const why = cause instanceof RangeError ? 'the line is nested too deeply' : 'the line is not JSON';
      yield { kind: 'skipped', place: `${file}:${number}`, why };
    }
  }
  if (!seen) yield { kind: 'skipped', place: `${file}:1`, why: 'the file is empty' };
}

async function startsAsLines(file: string): Promise<boolean> {
  let lines = 0;
  for await (const { text } of readLines(file)) {
    lines += 1;
    if (lines === 2) return true;
    try {
      JSON.parse(text);
    } catch {
      return false;
    }
  }
  return false;
}

function isObjectLine(line: string): boolean {
  const trimmed = line.trim();
  if (!trimmed.startsWith('{"')) return false;
  try {
    return objectOf(JSON.parse(trimmed)) !== undefined;
  } catch {
    return false;
  }
}

async function readWhole(file: string): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of readChunks(file)) chunks.push(chunk);
  try {
    return chunks.join('');
  } catch (cause) {
    const remedy = 'write it as JSONL, which is read line by line';
    throw new ImportError(file, `${file} is too large to be read as one JSON text; ${remedy}`, { cause });
  }
}

async function* readChunks(file: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      decoder ??= new TextDecoder(encodingOf(chunk));
      yield decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    throw new ImportError(file, `could not read ${file}: ${reason(cause)}`, { cause });
  }
  const end = decoder?.decode() ?? '';
  if (end !== '') yield end;
}

function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

import { writeJson } from '@palimpsest/events';
import { createHash } from 'node:crypto';
import { basename, extname } from 'node:path';
import type { ImportFormat, ImportItem } from './import-item.js';
import { numberOf } from './json-values.js';

/** Where the data says no time: the first event of a conversation, each next one a second later. */
const BASE_TIME = Date.UTC(2026, 0, 1);
// code points: with all of them the id stays below the API's 512 characters
const STEM_LENGTH = 120;
const PART_LENGTH = 40;

export interface ConversationOptions {
  format: ImportFormat;
  file: string;
  /** `file:line` or `file:index`. */
  place: string;
  /** What tells the conversation from others of the file, readable: `['task-12', 'trial-0']`. */
  path: readonly string[];
  /** All that was read of it: identity comes from its content. */
  record: unknown;
}

/**
 * Makes the events of one conversation. Its id is `format/file/path~hash`: the file's name without folder and ending,
 * and eight hex digits of the content's SHA-256, because files of one name lie in many folders (every run of one
 * SWE-agent task is called alike). The same content under the same name is the same conversation wherever it lies;
 * content that grew is another one (a log that grows belongs into the `events` format, with ids of its own).
 */
export class Conversation {
  readonly id: string;
  readonly #format: ImportFormat;
  readonly #place: string;
  #next = BASE_TIME;

  constructor(options: ConversationOptions) {
    const readable = [
      options.format,
      fileStem(options.file),
      ...options.path.map((part) => readablePart(part, PART_LENGTH)),
    ].join('/');
    this.id = `${readable}~${sha256(writeJson(options.record)).subarray(0, 4).toString('hex')}`;
    this.#format = options.format;
    this.#place = options.place;
  }

  /**
   * `index` is the message's place in the conversation and `part` tells the events of one message apart: both make the
   * event id. `at` is the time as the data has it, in any shape `timeOf` reads.
   */
  event(index: number, part: string, fields: Record<string, unknown>, at?: unknown): ImportItem {
    this.#next = timeOf(at) ?? this.#next;
    const event = {
      type: fields.type,
      conversation_id: this.id,
      event_id: uuidOf(this.#format, this.id, String(index), part),
      occurred_at: new Date(this.#next).toISOString(),
      ...fields,
    };
    this.#next += 1000;
    return { kind: 'event', event, place: this.#placeOf(index) };
  }

  skipped(index: number, why: string): ImportItem {
    return { kind: 'skipped', place: this.#placeOf(index), why };
  }

  #placeOf(index: number): string {
    return index < 0 ? this.#place : `${this.#place} message ${index}`;
  }
}

/** The index of what belongs to a conversation as a whole: settings, tool declarations, its task. */
export const WHOLE = -1;

/** A UUID (version 8: of our own making) from the SHA-256 of its parts. */
export function uuidOf(...parts: readonly string[]): string {
  const bytes = sha256(JSON.stringify(parts)).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** A file's name without folder and ending, in characters that are safe in an id and at most 120 of them. */
export function fileStem(file: string): string {
  const name = basename(file);
  const stem = name.slice(0, name.length - extname(name).length).normalize('NFC');
  return readablePart(stem, STEM_LENGTH) || 'file';
}

function readablePart(text: string, length: number): string {
  const safe = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  return [...safe].slice(0, length).join('');
}

const LATEST = Date.UTC(9999, 11, 31);
/** Unix times above this are milliseconds: as seconds they would lie beyond the year 5138. */
const SECONDS_END = 1e11;

/** Milliseconds since 1970 of an RFC 3339 text or a Unix time in seconds or milliseconds; undefined for all else. */
function timeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) {
    const ms = Math.round(number < SECONDS_END ? number * 1000 : number);
    return ms > 0 && ms < LATEST ? ms : undefined;
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/.test(value)) return undefined;
  // a time without zone is read as UTC, not as the zone of this machine
  const zoned = /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`;
  const ms = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(ms) || ms > LATEST ? undefined : ms;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

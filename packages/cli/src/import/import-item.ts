/** What a file can be read as. `events` is our own JSONL, one API event per line. */
export type ImportFormat = 'openai' | 'anthropic' | 'tau-bench' | 'swe-agent' | 'events';

export const IMPORT_FORMATS: readonly ImportFormat[] = [
  'openai',
  'anthropic',
  'tau-bench',
  'swe-agent',
  'events',
];

/** An event as `POST /v1/events` takes it: plain JSON values, `event_id` always set. */
export type ApiEvent = Record<string, unknown>;

/** `place` is `file:line` (JSONL) or `file:index` (JSON), with the message's index where one message is meant. */
export type ImportItem =
  | { kind: 'event'; event: ApiEvent; place: string }
  | { kind: 'skipped'; place: string; why: string };

export interface ImportOptions {
  /** Is told every item as it is read; see ImportSummary. */
  summary?: ImportSummary;
}

/** The file as a whole cannot be imported: not readable, or not of the format. Names the file and what was expected. */
export class ImportError extends Error {
  override name = 'ImportError';
  readonly file: string;

  constructor(file: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.file = file;
  }
}

export interface SkippedReason {
  why: string;
  count: number;
  /** Of the first few, in order of reading. */
  places: string[];
}

const PLACES_KEPT = 5;

/** Counts what was read and why what was left out was left out, over any number of files. Memory: one entry per reason. */
export class ImportSummary {
  events = 0;
  skipped = 0;
  readonly #reasons = new Map<string, SkippedReason>();

  add(item: ImportItem): void {
    if (item.kind === 'event') {
      this.events += 1;
      return;
    }
    this.skipped += 1;
    const reason = this.#reasons.get(item.why) ?? { why: item.why, count: 0, places: [] };
    reason.count += 1;
    if (reason.places.length < PLACES_KEPT) reason.places.push(item.place);
    this.#reasons.set(item.why, reason);
  }

  /** Most frequent first, then by text. */
  reasons(): SkippedReason[] {
    return [...this.#reasons.values()].toSorted(
      (a, b) => b.count - a.count || (a.why < b.why ? -1 : a.why > b.why ? 1 : 0),
    );
  }
}

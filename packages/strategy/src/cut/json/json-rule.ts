import { marker as textMarker, quantity } from '../marker.js';
import type { Rule, RuleContext, RuleResult } from '../rule.js';
import { markLive, NOTE_KEY, type Liveness } from './live-nodes.js';
import { projectFields } from './project-fields.js';
import { type Documents, readDocuments } from './read-documents.js';
import { ARRAY, NUMBER, OBJECT, STRING } from './scan-json.js';
import { selectNodes } from './select-nodes.js';
import { shortenString } from './shorten-string.js';
import { type Choice, keepAll, type Missing, type RootNote, writeJson } from './write-json.js';

const ATTEMPTS = 5;
/** A choice that takes this much of the cap is not improved on. */
const GOOD_USE = 0.85;

/**
 * Valid JSON out, numbers as written, members in order. Tried in turn until it fits: without white space;
 * without empty members and fields not asked for; then the most telling nodes with counts of what is
 * missing. NDJSON stays NDJSON. Below the smallest note: `{}`, `[]` or `""` (1 token), then nothing.
 */
export const jsonRule: Rule<'json'> = {
  type: 'json',
  mime: 'application/json',
  mimes: [
    'application/json',
    'text/json',
    'application/x-ndjson',
    'application/jsonl',
    'application/json-lines',
  ],
  tools: null,
  accepts: (text) => readDocuments(text) !== null,
  detects: (text) => /^\uFEFF?\s*[[{"]/.test(text.slice(0, 64)) && readDocuments(text) !== null,
  cut: cutJson,
};

function cutJson(text: string, context: RuleContext): RuleResult | null {
  const read = readDocuments(text);
  if (read === null) return null;
  const kind = read.tape.kind[read.roots[0] ?? 0];
  if (kind !== OBJECT && kind !== ARRAY) return cutScalar(read, context);
  const live = markLive(read.tape, read.roots);
  const { documents, earlierLines } = withoutNoteLine(read, live);
  const writer = new Writer(documents, live, context, earlierLines);
  if (context.jsonFields === null) {
    const compact = writer.complete(keepAll(live, true));
    if (compact !== null) return { text: compact, dropped: 'white space' };
  } else {
    projectFields(documents.tape, live.state, context.jsonFields);
  }
  const filled = writer.noted(keepAll(live, false));
  if (filled !== null) return filled;
  return writer.selected() ?? writer.stub();
}

/** The note line of an earlier cut of NDJSON is no document. */
function withoutNoteLine(read: Documents, live: Liveness): { documents: Documents; earlierLines: number } {
  const last = read.roots.at(-1) ?? 0;
  if (read.roots.length < 2 || read.tape.children[last] !== 1 || !live.carried.has(last)) {
    return { documents: read, earlierLines: 0 };
  }
  // One document may be left; counting the lines as broken keeps it a sequence.
  const roots = read.roots.slice(0, -1);
  return {
    documents: { ...read, roots, broken: read.broken + (live.carried.get(last) ?? 0) },
    earlierLines: 1,
  };
}

class Writer {
  private lastMissing = '';

  constructor(
    private readonly documents: Documents,
    private readonly live: Liveness,
    private readonly context: RuleContext,
    private readonly earlierLines: number,
  ) {}

  /** The choice without any note, when nothing but white space is lost and it fits. */
  complete(choice: Choice): string | null {
    if (this.documents.broken > 0 || this.earlierLines > 0 || this.live.carried.size > 0) return null;
    const text = writeJson(this.documents, this.live, choice, () => null);
    return this.fits(text) ? text : null;
  }

  noted(choice: Choice): RuleResult | null {
    for (const note of this.noteForms()) {
      const text = writeJson(this.documents, this.live, choice, note);
      if (this.fits(text)) return { text, dropped: this.lastMissing };
      // A shorter note saves a few tokens only.
      if (text.length > 8 * this.context.maxTokens + 800) return null;
    }
    return null;
  }

  /** The largest choice of nodes that fits, its estimate corrected by the real count. */
  selected(): RuleResult | null {
    const { counter, maxTokens } = this.context;
    const strings = new Map<number, string>();
    const shorten = (node: number, tokens: number) => {
      const decoded = strings.get(node) ?? this.decode(node);
      strings.set(node, decoded);
      return shortenString(decoded, tokens, this.context, null);
    };
    let best: RuleResult | null = null;
    for (const note of this.noteForms()) {
      const reserve = counter.count(note(1_000, SAMPLE) ?? '') + 6;
      let target = maxTokens - Math.min(reserve, Math.floor(maxTokens / 2));
      let over = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < ATTEMPTS && target > 0; attempt += 1) {
        const choice = selectNodes(this.documents, this.live, target, counter, shorten);
        const text = writeJson(this.documents, this.live, choice, note);
        const tokens = counter.count(text);
        if (tokens <= maxTokens) {
          if (choice.kept.includes(1) && (best === null || text.length > best.text.length)) {
            best = { text, dropped: this.lastMissing };
          }
          if (tokens >= maxTokens * GOOD_USE) break;
          target = Math.min(target + Math.max(1, maxTokens - tokens), Math.floor((target + over) / 2));
        } else {
          over = target;
          target =
            best === null
              ? Math.min(target - 1, Math.floor(((target * maxTokens) / tokens) * 0.97))
              : target - Math.ceil((tokens - maxTokens) * 1.1);
        }
        if (target >= over) break;
      }
      if (best !== null) return best;
    }
    return null;
  }

  /** Valid JSON of the same outer kind without any of the content. */
  stub(): RuleResult {
    const isObject = this.documents.tape.kind[this.documents.roots[0] ?? 0] === OBJECT;
    const note = textMarker('cut', this.context.handle, this.context.maxTokens, this.context.counter, 0.7);
    const forms = isObject
      ? [`{"${NOTE_KEY}":${JSON.stringify(note)}}`, `{"${NOTE_KEY}":"cut"}`, '{}']
      : [`[${JSON.stringify(note)}]`, `["${NOTE_KEY}"]`, '[]'];
    return { text: [...forms, '0'].find((form) => this.fits(form)) ?? '', dropped: 'all content' };
  }

  private noteForms(): RootNote[] {
    const { handle } = this.context;
    const isArray = this.documents.tape.kind[this.documents.roots[0] ?? 0] === ARRAY;
    const isSequence = this.documents.roots.length > 1 || this.documents.broken > 0;
    const noun = isSequence ? 'more line' : isArray ? 'more item' : 'more key';
    const say = (own: number, inside: Missing) => {
      this.lastMissing = describe(own, noun, inside);
      return this.lastMissing;
    };
    const full: RootNote = (own, inside) =>
      `${say(own, inside)}${handle === null ? '' : `; full text: artifact ${handle}`}`;
    const handleOnly: RootNote = (own, inside) =>
      say(own, inside) && handle !== null ? `artifact ${handle}` : 'cut';
    const { counter, maxTokens } = this.context;
    const forms: RootNote[] = [full, handleOnly, (own, inside) => (say(own, inside) ? 'cut' : null)];
    // A small cap is for content: a note that would take most of it is passed over.
    const sound = forms.filter((form) => counter.count(form(100, SAMPLE) ?? '') <= maxTokens * 0.4);
    return sound.length > 0 ? sound : forms.slice(-1);
  }

  private decode(node: number): string {
    const { tape } = this.documents;
    return JSON.parse(tape.text.slice(tape.start[node], tape.end[node])) as string;
  }

  private fits(text: string): boolean {
    if (text.length > 64 * (this.context.maxTokens + 64)) return false;
    return this.context.counter.count(text) <= this.context.maxTokens;
  }
}

const SAMPLE: Missing = { keys: 100, items: 100, empty: 10, unasked: 0, strings: 10, lines: 0 };

function describe(own: number, noun: string, inside: Missing): string {
  const within = [
    inside.keys > 0 ? quantity(inside.keys, 'key') : '',
    inside.items > 0 ? quantity(inside.items, 'item') : '',
    inside.strings > 0 ? `${quantity(inside.strings, 'long string')}` : '',
    inside.empty > 0 ? quantity(inside.empty, 'empty value') : '',
    inside.unasked > 0 ? quantity(inside.unasked, 'field') : '',
  ].filter((part) => part !== '');
  const ownPart = own > 0 ? quantity(own, noun) : '';
  if (within.length === 0) return ownPart === '' ? 'cut: earlier' : ownPart;
  return `${ownPart === '' ? '' : `${ownPart}; `}cut inside: ${within.join(', ')}`;
}

function cutScalar(documents: Documents, context: RuleContext): RuleResult {
  const { tape } = documents;
  const { counter, maxTokens } = context;
  const isString = tape.kind[0] === STRING;
  const size = (tape.end[0] ?? 0) - (tape.start[0] ?? 0);
  const dropped = `${quantity(size, tape.kind[0] === NUMBER ? 'digit' : 'character')} cut`;
  const raw = tape.text.slice(tape.start[0], tape.end[0]);
  if (size <= maxTokens * 64 && counter.count(raw) <= maxTokens) return { text: raw, dropped: 'white space' };
  const forms = [
    () => (isString ? shortenString(JSON.parse(raw) as string, maxTokens, context, context.handle) : null),
    () => JSON.stringify(textMarker(dropped, context.handle, maxTokens, counter, 0.8)),
    () => '""',
    () => '0',
  ];
  for (const form of forms) {
    const text = form();
    if (text !== null && counter.count(text) <= maxTokens) return { text, dropped };
  }
  return { text: '', dropped };
}

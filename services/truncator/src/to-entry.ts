import type { ContentPart, MessageEvent, ToolCallEvent, ToolResultEvent } from '@palimpsest/events';
import {
  artifactId,
  type ContentType,
  countEntry,
  cut,
  detectContentType,
  type Entry,
  type EntryPart,
  type Held,
  hold,
  shareOut,
  type StrategySettings,
  textOfParts,
  typeToCut,
  wellFormed,
} from '@palimpsest/strategy';
import { IMAGE_TOKENS, type TokenCounter } from '@palimpsest/tokens';

/** The original of an entry that was cut. */
export interface Artifact {
  id: string;
  mime: string;
  content: string;
}

export interface Rendered {
  held: Held;
  artifact: Artifact | null;
}

export type EntryEvent = MessageEvent | ToolCallEvent | ToolResultEvent;

type Uncounted = Omit<Entry, 'tokens' | 'original_tokens'>;
interface RenderContext {
  tenant: string;
  counter: TokenCounter;
}

const MIME: Record<ContentType, string> = {
  text: 'text/plain',
  json: 'application/json',
  html: 'text/html',
  'stack-trace': 'text/plain',
  log: 'text/plain',
  table: 'text/plain',
  code: 'text/plain',
  markdown: 'text/markdown',
  binary: 'application/octet-stream',
};

/** Images up to this many characters of base64 stay in the entry; larger ones become an artifact and a note. */
const INLINE_IMAGE_CHARS = 48 * 1024;

/**
 * The rendition of an event: storable text, cut by its type where it is over the strategy's cap, counted once.
 * Pure: the same event under the same strategy gives the same bytes.
 */
export function toEntry(
  event: EntryEvent,
  place: { order: bigint; offset: bigint },
  settings: StrategySettings,
  counter: TokenCounter,
): Rendered {
  const context: RenderContext = { tenant: event.tenant, counter };
  const base = {
    id: event.event_id,
    order: place.order.toString(),
    offset: place.offset.toString(),
    kind: event.type,
    at: event.occurred_at,
  };
  switch (event.type) {
    case 'message': {
      const role = event.role === 'unknown' ? 'user' : event.role;
      return render({ ...base, role, ...toBody(event.content) }, settings.cut.message_tokens, context);
    }
    case 'tool_call': {
      const step = event.step_id === null ? {} : { step_id: wellFormed(event.step_id) };
      const call = {
        ...base,
        text: wellFormed(event.arguments),
        tool: wellFormed(event.tool),
        call_id: wellFormed(event.call_id),
        ...step,
      };
      return render(call, settings.cut.tool_call_tokens, context);
    }
    case 'tool_result': {
      const body = toBody(event.content);
      const type =
        event.content_type === null
          ? {}
          : { type: detectContentType({ text: body.text, declaredType: event.content_type }) };
      const error = event.is_error ? { is_error: true } : {};
      const result = { ...base, ...body, call_id: wellFormed(event.call_id), ...error, ...type };
      return render(result, settings.cut.tool_result_tokens, context);
    }
  }
}

function render(uncounted: Uncounted, cap: number, { tenant, counter }: RenderContext): Rendered {
  const whole = inOrder({ ...uncounted, tokens: 0, original_tokens: 0 });
  whole.tokens = countEntry(counter, whole);
  whole.original_tokens = whole.tokens;
  if (whole.tokens <= cap) return { held: hold(whole), artifact: null };

  const content = whole.parts === undefined ? whole.text : JSON.stringify(whole.parts);
  const type = typeToCut(whole.kind, whole.text, whole.type, whole.is_error);
  const mime = whole.parts === undefined ? MIME[type] : MIME.json;
  const id = artifactId(tenant, content);
  const short =
    whole.parts === undefined
      ? cutBody({ text: whole.text, type }, cap - bareTokens(whole, counter), id, counter)
      : cutParts(whole.parts, cap - bareTokens(whole, counter), id, counter);
  if (short === null) return { held: hold(whole), artifact: null };
  const entry = inOrder({ ...whole, ...short, type, artifact: id });
  entry.tokens = countEntry(counter, entry);
  return { held: hold(entry), artifact: { id, mime, content } };
}

interface Short {
  text: string;
  parts?: EntryPart[];
  dropped: string;
}

function bareTokens({ parts: _, ...entry }: Entry, counter: TokenCounter): number {
  return countEntry(counter, { ...entry, text: '' });
}

function cutBody(
  body: { text: string; type: ContentType },
  maxTokens: number,
  handle: string,
  counter: TokenCounter,
): Short {
  const { text, dropped } = cut(body, { maxTokens: Math.max(1, maxTokens), handle, counter });
  return { text, dropped: dropped ?? 'shortened' };
}

/** Images stay, thinking goes, texts share the cap. Null where the images alone are over it: they have a flat price. */
function cutParts(
  parts: readonly EntryPart[],
  cap: number,
  handle: string,
  counter: TokenCounter,
): Short | null {
  const kept = parts.filter((part) => part.kind !== 'thinking');
  const texts = kept.filter((part) => part.kind === 'text');
  const wishes = texts.map((part) => counter.count(part.text));
  const images = (kept.length - texts.length) * IMAGE_TOKENS;
  const room = Math.max(texts.length, cap - images - kept.length);
  const shares = shareOut(wishes, room);
  const shown: EntryPart[] = [];
  const dropped = new Set(kept.length < parts.length ? ['thinking'] : []);
  for (const part of kept) {
    if (part.kind !== 'text') {
      shown.push(part);
      continue;
    }
    const share = shares[texts.indexOf(part)] as number;
    const type = detectContentType({ text: part.text });
    const short = cut({ text: part.text, type }, { maxTokens: Math.max(1, share), handle, counter });
    if (short.cut) dropped.add(short.dropped ?? 'shortened');
    shown.push({ kind: 'text', text: short.text });
  }
  if (dropped.size === 0) return null;
  return { text: textOfParts(shown), parts: shown, dropped: [...dropped].join('; ') };
}

/** The entry with its keys in their one order, so that equal entries have equal bytes. */
function inOrder(from: Entry): Entry {
  const entry = { id: from.id, order: from.order, offset: from.offset, kind: from.kind } as Entry;
  if (from.role !== undefined) entry.role = from.role;
  entry.text = from.text;
  if (from.parts !== undefined) entry.parts = from.parts;
  if (from.tool !== undefined) entry.tool = from.tool;
  if (from.call_id !== undefined) entry.call_id = from.call_id;
  if (from.step_id !== undefined) entry.step_id = from.step_id;
  if (from.is_error !== undefined) entry.is_error = from.is_error;
  if (from.type !== undefined) entry.type = from.type;
  entry.tokens = from.tokens;
  entry.original_tokens = from.original_tokens;
  if (from.artifact !== undefined) entry.artifact = from.artifact;
  if (from.dropped !== undefined) entry.dropped = from.dropped;
  entry.at = from.at;
  return entry;
}

function toBody(content: readonly ContentPart[]): { text: string; parts?: EntryPart[] } {
  const parts: EntryPart[] = [];
  for (const part of content) {
    if (part.kind === 'image') {
      const data = part.data === null || part.data.length <= INLINE_IMAGE_CHARS ? part.data : null;
      parts.push(
        data === null && part.url === null
          ? {
              kind: 'text',
              text: `[image ${storable(part.mime) ?? ''}, ${part.data?.length ?? 0} characters of base64]`,
            }
          : { kind: 'image', mime: storable(part.mime), data: storable(data), url: storable(part.url) },
      );
    } else if (part.kind === 'thinking') {
      parts.push({
        kind: 'thinking',
        text: wellFormed(part.text ?? ''),
        signature: part.signature === null ? null : wellFormed(part.signature),
      });
    } else {
      parts.push({ kind: 'text', text: wellFormed(part.text ?? '') });
    }
  }
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return { text: only.text };
  return parts.length === 0 ? { text: '' } : { text: textOfParts(parts), parts };
}

function storable(text: string | null): string | null {
  return text === null ? null : wellFormed(text);
}

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
  mimeOfType,
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
      const { body, original } = toBody(event.content, event.tenant);
      return render({ ...base, role, ...body }, settings.cut.message_tokens, context, original);
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
      const { body, original } = toBody(event.content, event.tenant);
      const type =
        event.content_type === null
          ? {}
          : { type: detectContentType({ text: body.text, declaredType: event.content_type }) };
      const error = event.is_error ? { is_error: true } : {};
      const result = { ...base, ...body, call_id: wellFormed(event.call_id), ...error, ...type };
      return render(result, settings.cut.tool_result_tokens, context, original);
    }
  }
}

/** `original` is given where the entry lacks bytes whatever the cap: images too large for it. */
function render(
  uncounted: Uncounted,
  cap: number,
  { tenant, counter }: RenderContext,
  original: Artifact | null = null,
): Rendered {
  const whole = inOrder({ ...uncounted, tokens: 0, original_tokens: 0 });
  whole.tokens = countEntry(counter, whole);
  whole.original_tokens = whole.tokens;
  if (whole.tokens <= cap) return withOriginal(whole, original);

  const content = original?.content ?? (whole.parts === undefined ? whole.text : JSON.stringify(whole.parts));
  const type = typeToCut(whole.kind, whole.text, whole.type, whole.is_error);
  const mime = whole.parts === undefined ? mimeOfType(type) : 'application/json';
  const id = artifactId(tenant, content);
  const short =
    whole.parts === undefined
      ? cutBody({ text: whole.text, type }, cap - bareTokens(whole, counter), id, counter)
      : cutParts(whole.parts, cap - bareTokens(whole, counter), id, counter);
  if (short === null) return withOriginal(whole, original);
  const entry = inOrder({ ...whole, ...short, type, artifact: id });
  entry.tokens = countEntry(counter, entry);
  return { held: hold(entry), artifact: { id, mime, content } };
}

function withOriginal(whole: Entry, original: Artifact | null): Rendered {
  if (original === null) return { held: hold(whole), artifact: null };
  return {
    held: hold(inOrder({ ...whole, artifact: original.id, dropped: 'image data' })),
    artifact: original,
  };
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

interface Body {
  text: string;
  parts?: EntryPart[];
}

/** What an entry holds of a content, and the original where an image of it is too large to be held. */
function toBody(content: readonly ContentPart[], tenant: string): { body: Body; original: Artifact | null } {
  const parts = content.map(toPart);
  if (!parts.some(isLarge)) return { body: bodyOf(parts), original: null };
  const json = JSON.stringify(parts);
  const id = artifactId(tenant, json);
  const shown = parts.map((part) => (isLarge(part) ? noteOf(part, id) : part));
  // In parts even where one note is all there is: only so the original is known to be parts, too.
  return {
    body: { text: textOfParts(shown), parts: shown },
    original: { id, mime: 'application/json', content: json },
  };
}

function bodyOf(parts: EntryPart[]): Body {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return { text: only.text };
  return parts.length === 0 ? { text: '' } : { text: textOfParts(parts), parts };
}

function toPart(part: ContentPart): EntryPart {
  if (part.kind === 'image') {
    return { kind: 'image', mime: storable(part.mime), data: storable(part.data), url: storable(part.url) };
  }
  if (part.kind === 'thinking') {
    const signature = part.signature === null ? null : wellFormed(part.signature);
    return { kind: 'thinking', text: wellFormed(part.text ?? ''), signature };
  }
  return { kind: 'text', text: wellFormed(part.text ?? '') };
}

type ImagePart = Extract<EntryPart, { kind: 'image' }>;

function isLarge(part: EntryPart): part is ImagePart {
  return part.kind === 'image' && part.data !== null && part.data.length > INLINE_IMAGE_CHARS;
}

/** An image that can be fetched stays one; of another the note says what it is and where its bytes are. */
function noteOf(part: ImagePart, id: string): EntryPart {
  if (part.url !== null) return { ...part, data: null };
  const bytes = Math.floor(((part.data?.length ?? 0) * 3) / 4);
  const what = `${part.mime ?? 'image'}, about ${bytes} bytes, about ${IMAGE_TOKENS} tokens as an image, not shown`;
  return { kind: 'text', text: `[… ${what}; original: artifact ${id}]` };
}

function storable(text: string | null): string | null {
  return text === null ? null : wellFormed(text);
}

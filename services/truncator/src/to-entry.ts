import { createHash } from 'node:crypto';
import type { ContentPart, MessageEvent, ToolCallEvent, ToolResultEvent } from '@palimpsest/events';
import {
  type ContentType,
  countEntry,
  cut,
  detectContentType,
  type Entry,
  type EntryPart,
  type Held,
  hold,
  type StrategySettings,
  wellFormed,
} from '@palimpsest/strategy';
import type { TokenCounter } from '@palimpsest/tokens';

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
      const body = toBody(event.content);
      const type = detectContentType({ text: body.text });
      return render({ ...base, role, ...body, type }, settings.cut.message_tokens, context);
    }
    case 'tool_call': {
      const text = wellFormed(event.arguments);
      const type: ContentType = isJson(text) ? 'json' : 'text';
      const step = event.step_id === null ? {} : { step_id: wellFormed(event.step_id) };
      const call = {
        ...base,
        text,
        tool: wellFormed(event.tool),
        call_id: wellFormed(event.call_id),
        ...step,
        type,
      };
      return render(call, settings.cut.tool_call_tokens, context);
    }
    case 'tool_result': {
      const body = toBody(event.content);
      const type = detectContentType({
        text: body.text,
        declaredType: event.content_type,
        isError: event.is_error,
      });
      const error = event.is_error ? { is_error: true } : {};
      const result = { ...base, ...body, call_id: wellFormed(event.call_id), ...error, type };
      return render(result, settings.cut.tool_result_tokens, context);
    }
  }
}

/** Content-addressed, and never the same for two tenants: an id found by one says nothing about another's data. */
export function artifactId(tenant: string, content: string): string {
  return createHash('sha256').update(tenant).update('\0').update(content).digest('hex').slice(0, 24);
}

function render(uncounted: Uncounted, cap: number, { tenant, counter }: RenderContext): Rendered {
  const whole = inOrder({ ...uncounted, tokens: 0, original_tokens: 0 });
  whole.tokens = countEntry(counter, whole);
  whole.original_tokens = whole.tokens;
  if (whole.tokens <= cap || whole.parts !== undefined) return { held: hold(whole), artifact: null };

  const id = artifactId(tenant, whole.text);
  const overhead = whole.tokens - counter.count(whole.text);
  const rendition = cut(
    { text: whole.text, type: whole.type },
    { maxTokens: Math.max(1, cap - overhead), handle: id, counter },
  );
  const entry = inOrder({
    ...whole,
    text: rendition.text,
    artifact: id,
    dropped: rendition.dropped ?? 'shortened',
  });
  entry.tokens = countEntry(counter, entry);
  return { held: hold(entry), artifact: { id, mime: MIME[whole.type], content: whole.text } };
}

/** The entry with its keys in their one order, so that equal entries have equal bytes. */
function inOrder(entry: Entry): Entry {
  const { id, order, offset, kind, text, type, tokens, original_tokens, at, ...rest } = entry;
  return {
    id,
    order,
    offset,
    kind,
    ...(rest.role === undefined ? {} : { role: rest.role }),
    text,
    ...(rest.parts === undefined ? {} : { parts: rest.parts }),
    ...(rest.tool === undefined ? {} : { tool: rest.tool }),
    ...(rest.call_id === undefined ? {} : { call_id: rest.call_id }),
    ...(rest.step_id === undefined ? {} : { step_id: rest.step_id }),
    ...(rest.is_error === undefined ? {} : { is_error: rest.is_error }),
    type,
    tokens,
    original_tokens,
    ...(rest.artifact === undefined ? {} : { artifact: rest.artifact }),
    ...(rest.dropped === undefined ? {} : { dropped: rest.dropped }),
    at,
  };
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
              text: `[image ${part.mime ?? ''}, ${part.data?.length ?? 0} characters of base64]`,
            }
          : { kind: 'image', mime: part.mime, data, url: part.url },
      );
    } else if (part.kind === 'thinking') {
      parts.push({ kind: 'thinking', text: part.text ?? '', signature: part.signature });
    } else {
      parts.push({ kind: 'text', text: wellFormed(part.text ?? '') });
    }
  }
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return { text: only.text };
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  return parts.length === 0 ? { text: '' } : { text, parts };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import { createHash } from 'node:crypto';
import type { Piece } from './assemble.js';
import { type Entry, type EntryPart, isRule } from './entry.js';
import { shownText } from './fit-unit.js';
import type { Unit } from './pair-calls.js';

interface Cached {
  cache_control?: { type: 'ephemeral' };
}
type AnthropicText = { type: 'text'; text: string } & Cached;
type ImageSource = { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string };
type AnthropicBlock =
  | AnthropicText
  | ({ type: 'image'; source: ImageSource } & Cached)
  | { type: 'thinking'; thinking: string; signature: string }
  | ({ type: 'tool_use'; id: string; name: string; input: object } & Cached)
  | ({ type: 'tool_result'; tool_use_id: string; content: string; is_error?: true } & Cached);

/** `system` and `messages` of Anthropic's Messages API, ready to send. */
export interface AnthropicContext {
  system: AnthropicText[];
  messages: { role: 'user' | 'assistant'; content: AnthropicBlock[] }[];
}

/** Stands in front where the first message would be the assistant's, which the API refuses. */
const OPENING = '(the conversation goes on)';
/** Tokens that the opening may add to what the pieces were counted at. */
export const ANTHROPIC_OPENING_TOKENS = 12;

/** Tokens that `context` has above what its pieces were counted at. */
export function anthropicOpeningTokens({ messages }: AnthropicContext): number {
  const first = messages[0]?.content[0];
  return first?.type === 'text' && first.text === OPENING ? ANTHROPIC_OPENING_TOKENS : 0;
}

/**
 * Pieces for Anthropic. Rules and memory are the system text; turns alternate, beginning with the user; the results of a
 * step open the turn after its calls. Thinking with a signature is sent byte for byte, without one not at all. Ids and
 * names that the API would refuse are replaced by ones made from them. `stablePieces` leading pieces are expected in the
 * next context as well: cache breakpoints (at most three) stand at the end of the system text, of those, and of all.
 */
export function formatAnthropic(pieces: readonly Piece[], stablePieces = 0): AnthropicContext {
  const context: AnthropicContext = { system: [], messages: [] };
  const ids = new CallIds();
  let stable: Cached | undefined;
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'memory') addSystem(context, piece.text);
    else if (piece.kind === 'note') add(context, 'user', { type: 'text', text: piece.text });
    else addUnit(context, piece.unit, ids);
    if (index + 1 === stablePieces) stable = lastBlock(context);
  }
  if (context.messages[0]?.role === 'assistant') {
    context.messages.unshift({ role: 'user', content: [{ type: 'text', text: OPENING }] });
  }
  trimEnd(context);
  const ends: (Cached | undefined)[] = [context.system.at(-1), stable, lastBlock(context)];
  for (const block of ends) if (block !== undefined) block.cache_control = { type: 'ephemeral' };
  return context;
}

function addUnit(context: AnthropicContext, unit: Unit, ids: CallIds): void {
  const calls = unit.entries.filter(({ entry }) => entry.kind === 'tool_call').map(({ entry }) => entry);
  const own = new Map(calls.map((call) => [call.call_id ?? '', ids.of(call)]));
  for (const { entry } of unit.entries) {
    if (entry.kind === 'tool_call') {
      const id = own.get(entry.call_id ?? '') as string;
      add(context, 'assistant', {
        type: 'tool_use',
        id,
        name: toolName(entry.tool),
        input: inputOf(entry.text),
      });
    } else if (entry.kind === 'tool_result') {
      const tool_use_id = own.get(entry.call_id ?? '') as string;
      const content = shownText(entry);
      add(
        context,
        'user',
        entry.is_error === true
          ? { type: 'tool_result', tool_use_id, content, is_error: true }
          : { type: 'tool_result', tool_use_id, content },
      );
    } else if (isRule(entry)) addSystem(context, shownText(entry));
    else {
      const role = entry.role === 'assistant' ? 'assistant' : 'user';
      const parts: EntryPart[] = entry.parts ?? [{ kind: 'text', text: entry.text }];
      for (const part of parts) for (const block of blocksOf(part, role)) add(context, role, block);
    }
  }
}

function blocksOf(part: EntryPart, role: 'user' | 'assistant'): AnthropicBlock[] {
  if (part.kind === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.kind === 'thinking') {
    return role === 'assistant' && part.signature !== null
      ? [{ type: 'thinking', thinking: part.text, signature: part.signature }]
      : [];
  }
  const source = role === 'user' ? sourceOf(part) : null;
  return source === null ? [{ type: 'text', text: '[image]' }] : [{ type: 'image', source }];
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function sourceOf(image: Extract<EntryPart, { kind: 'image' }>): ImageSource | null {
  if (image.data !== null) {
    const media_type = image.mime ?? '';
    return IMAGE_TYPES.has(media_type) ? { type: 'base64', media_type, data: image.data } : null;
  }
  return image.url === null || !/^https?:\/\//.test(image.url) ? null : { type: 'url', url: image.url };
}

function add(context: AnthropicContext, role: 'user' | 'assistant', block: AnthropicBlock): void {
  const last = context.messages.at(-1);
  if (last?.role === role) last.content.push(block);
  else context.messages.push({ role, content: [block] });
}

function addSystem(context: AnthropicContext, text: string): void {
  if (text.trim() !== '') context.system.push({ type: 'text', text });
}

/** A block that a breakpoint may stand on; thinking is none. */
function lastBlock({ system, messages }: AnthropicContext): Cached | undefined {
  const last = messages.length === 0 ? system.at(-1) : messages.at(-1)?.content.at(-1);
  return last?.type === 'thinking' ? undefined : last;
}

/** An answer that the model is to continue may not end in white space. */
function trimEnd({ messages }: AnthropicContext): void {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role === 'assistant' && block?.type === 'text') block.text = block.text.trimEnd();
}

/** Arguments are an object there, whatever a producer sent: anything else stands under `arguments`. */
function inputOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Not JSON: given as it is.
  }
  return { arguments: text };
}

function toolName(name: string | undefined): string {
  const safe = (name ?? '').replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128);
  return safe === '' ? 'tool' : safe;
}

/** Ids as the API takes them, and no two calls of a context with one: producers use theirs again in later turns. */
class CallIds {
  readonly #used = new Set<string>();

  of({ call_id, order }: Entry): string {
    const given = call_id ?? '';
    const plain = /^[a-zA-Z0-9_-]{1,64}$/.test(given);
    const id = plain ? given : `id_${createHash('sha256').update(given).digest('hex').slice(0, 24)}`;
    const own = this.#used.has(id) ? `${id.slice(0, 40)}_at_${order}` : id;
    this.#used.add(own);
    return own;
  }
}

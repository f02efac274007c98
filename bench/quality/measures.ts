import type { ChatEvent } from '@palimpsest/events';
import { type Assembled, formatAiSdk, formatAnthropic, type OpenAiMessage } from '@palimpsest/strategy';
import { aiSdkViolations, anthropicViolations, openAiViolations } from '@palimpsest/strategy/testing';

/** What a run of contexts adds up to; shares are of what there was to keep. */
export class Tally {
  contexts = 0;
  invalid = 0;
  over = 0;
  illFormed = 0;
  crashes = 0;
  readonly shares = new Map<string, { sum: number; count: number }>();

  add(name: string, part: number, of: number): void {
    if (of === 0) return;
    const share = this.shares.get(name) ?? { sum: 0, count: 0 };
    share.sum += part / of;
    share.count += 1;
    this.shares.set(name, share);
  }

  share(name: string): number | null {
    const share = this.shares.get(name);
    return share === undefined ? null : Number((share.sum / share.count).toFixed(3));
  }
}

export function textOf(messages: readonly OpenAiMessage[]): string {
  const texts: string[] = [];
  for (const message of messages) {
    if (typeof message.content === 'string') texts.push(message.content);
    else for (const part of message.content ?? []) if (part.type === 'text') texts.push(part.text);
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) texts.push(call.function.arguments);
    }
  }
  return texts.join('\n');
}

export function said(event: ChatEvent): string {
  if (event.type === 'tool_call') return event.arguments;
  if (event.type !== 'message' && event.type !== 'tool_result') return '';
  return event.content.map((part) => part.text ?? '').join('\n');
}

/**
 * Identifiers by a rule of the bench's own, apart from the product's: runs of up to 40 characters with three digits or
 * more (ids, amounts, dates, phones), e-mail addresses, and paths of two slashes or more.
 */
function namedIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [run] of text.matchAll(/[\p{L}\p{N}#@._/:$€-]{4,200}/gu)) {
    const name = run.replace(/^[.:_/-]+|[.:_/-]+$/g, '');
    if (name.length < 4 || name.length > 40) continue;
    const digits = name.replace(/\D/g, '').length;
    if (digits >= 3 || /.@.+\../.test(name) || /\/.+\//.test(name)) found.add(name);
  }
  return found;
}

/** The end of a conversation: validity, identifiers kept of people's words and of the last results, first message. */
export function measureEnd(
  tally: Tally,
  events: readonly ChatEvent[],
  context: Assembled & { messages: OpenAiMessage[] },
  budget: number,
): void {
  const { messages, pieces, tokens } = context;
  tally.contexts += 1;
  const violations = [
    ...openAiViolations(messages),
    ...anthropicViolations(formatAnthropic(pieces, context.stablePieces)),
    ...aiSdkViolations(formatAiSdk(pieces)),
  ];
  if (violations.length > 0) tally.invalid += 1;
  if (tokens.total > budget) tally.over += 1;
  if (!textOf(messages).isWellFormed()) tally.illFormed += 1;
  const text = textOf(messages);
  const spoken = new Set<string>();
  for (const event of events) {
    if (event.type !== 'message' || (event.role !== 'user' && event.role !== 'assistant')) continue;
    for (const name of namedIn(said(event))) spoken.add(name);
  }
  tally.add('spoken_ids', kept(spoken, text), spoken.size);
  const results = new Set<string>();
  for (const event of events.filter(({ type }) => type === 'tool_result').slice(-6)) {
    for (const name of namedIn(said(event))) results.add(name);
  }
  tally.add('last_result_ids', kept(results, text), results.size);
  const first = events.find((event) => event.type === 'message' && event.role === 'user');
  if (first !== undefined && said(first).length < budget) {
    const shown = messages.some((message) => message.role === 'user' && contentOf(message) === said(first));
    tally.add('first_message', shown ? 1 : 0, 1);
  }
}

function contentOf(message: OpenAiMessage): string {
  return typeof message.content === 'string' ? message.content : textOf([message]);
}

function kept(names: ReadonlySet<string>, text: string): number {
  let count = 0;
  for (const name of names) if (text.includes(name)) count += 1;
  return count;
}

/** Length of the common start of two texts. */
export function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

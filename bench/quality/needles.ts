import { type ChatEvent, textPart } from '@palimpsest/events';

/** A planted fact: `value` is what must be found, `text` the sentence it stands in. */
export interface Needle {
  value: string;
  event: ChatEvent;
}

const KINDS: ((n: number) => { value: string; text: string })[] = [
  (n) => ({
    value: `ORD-${88_000 + n}`,
    text: `The order in question is ORD-${88_000 + n}, please note it.`,
  }),
  (n) => ({ value: `$${1300 + n}.47`, text: `We agreed on a refund of $${1300 + n}.47 for this.` }),
  (n) => ({
    value: `2027-${pad(1 + (n % 12))}-${pad(1 + (n % 28))}`,
    text: `It has to be done by 2027-${pad(1 + (n % 12))}-${pad(1 + (n % 28))}.`,
  }),
  (n) => ({
    value: `/srv/app/conf/limits-${n}.yaml`,
    text: `The setting lives in /srv/app/conf/limits-${n}.yaml.`,
  }),
  (n) => ({
    value: `marta.kovalenko${n}@example.org`,
    text: `Write to marta.kovalenko${n}@example.org about it.`,
  }),
  (n) => ({
    value: `Ostap Hnatyuk${NAMES[n % NAMES.length]}`,
    text: `The person in charge is Ostap Hnatyuk${NAMES[n % NAMES.length]}.`,
  }),
];
const NAMES = ['-Lysenko', '-Moroz', '-Bondar', '-Petrenko', '-Shevchuk'];
const ROLES = ['user', 'assistant', 'tool'] as const;
export const NEEDLE_VARIANTS = KINDS.length * ROLES.length;
const DEPTHS = 11;

function pad(n: number): string {
  return String(n).padStart(2, '0');
}

/** The history with a fact planted at each tenth of it, in the next turn of that role: appended to what is said there. */
export function planted(
  events: readonly ChatEvent[],
  variant: number,
): { events: ChatEvent[]; needles: (Needle & { depth: number; role: string; kind: number })[] } {
  const kind = variant % KINDS.length;
  const role = ROLES[Math.floor(variant / KINDS.length)] as (typeof ROLES)[number];
  const changed = [...events];
  const needles: (Needle & { depth: number; role: string; kind: number })[] = [];
  for (let depth = 0; depth < DEPTHS; depth += 1) {
    const from = Math.floor(((events.length - 1) * depth) / (DEPTHS - 1));
    const at = nextOf(changed, from, role);
    if (at === -1) continue;
    const made = (KINDS[kind] as (typeof KINDS)[number])(variant * 50 + depth);
    const event = withText(changed[at] as ChatEvent, made.text);
    changed[at] = event;
    needles.push({ value: made.value, event, depth: depth / (DEPTHS - 1), role, kind });
  }
  return { events: changed, needles };
}

function nextOf(events: readonly ChatEvent[], from: number, role: (typeof ROLES)[number]): number {
  const is = (event: ChatEvent): boolean =>
    role === 'tool' ? event.type === 'tool_result' : event.type === 'message' && event.role === role;
  const after = events.findIndex((event, index) => index >= from && is(event));
  return after === -1 ? events.findLastIndex(is) : after;
}

function withText(event: ChatEvent, text: string): ChatEvent {
  if (event.type !== 'message' && event.type !== 'tool_result') return event;
  const said = event.content.map((part) => part.text ?? '').join('\n');
  return { ...event, content: [textPart(insertInto(said, text))] };
}

/** Into the middle of a prose text; as a field of its own into JSON. */
function insertInto(said: string, text: string): string {
  try {
    const value: unknown = JSON.parse(said);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return JSON.stringify({ ...value, remark: text });
    if (Array.isArray(value)) return JSON.stringify([...(value as unknown[]), { remark: text }]);
  } catch {
    // prose
  }
  const middle = said.indexOf(' ', Math.floor(said.length / 2));
  return middle === -1 ? `${said} ${text}` : `${said.slice(0, middle)} ${text}${said.slice(middle)}`;
}

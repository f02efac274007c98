import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ImportFormat, readImport } from '@palimpsest/cli/import';
import { type ChatEvent, inputEvent, toEvent, TOPICS, topicOf } from '@palimpsest/events';

export interface Corpus {
  name: string;
  histories: ChatEvent[][];
}

/** Recorded sessions of others, beside the clone: tau-bench and SWE-agent; empty where they are not there. */
export async function recordedSessions(): Promise<Corpus[]> {
  const here = dirname(fileURLToPath(import.meta.url)).replace(/[\\/]bench[\\/].*$/, '');
  const data = join(here, '..', 'shared', 'data');
  const corpora: Corpus[] = [];
  for (const [format, ending] of [
    ['tau-bench', /\.jsonl?$/],
    ['swe-agent', /\.traj$/],
  ] as [ImportFormat, RegExp][]) {
    const folder = join(data, format);
    if (!existsSync(folder)) {
      process.stderr.write(`quality: SKIPPED ${format}: its recorded sessions are not beside this clone\n`);
      continue;
    }
    const histories = new Map<string, ChatEvent[]>();
    for (const file of readdirSync(folder).toSorted()) {
      if (!ending.test(file)) continue;
      for await (const item of readImport(format, join(folder, file))) {
        if (item.kind !== 'event') continue;
        const event = toEvent(inputEvent.parse(item.event), ORIGIN);
        if (topicOf(event.type) !== TOPICS.messages) continue;
        const known = histories.get(event.conversation_id);
        if (known === undefined) histories.set(event.conversation_id, [event as ChatEvent]);
        else known.push(event as ChatEvent);
      }
    }
    corpora.push({ name: format, histories: [...histories.values()] });
  }
  return corpora;
}

const ORIGIN = {
  tenant: 'bench',
  now: 0,
  newId: () => {
    throw new Error('an imported event brings its id');
  },
  strategy: null,
  generation: null,
};

/**
 * Recorded sessions one after another as one conversation of about `tokens`, each session begun where the last ended.
 * Their system messages after the first are left out: an agent has one.
 */
export function joined(
  corpus: Corpus,
  tokens: number,
  count: number,
  countEvent: (event: ChatEvent) => number,
): Corpus {
  const histories: ChatEvent[][] = [];
  let at = 0;
  while (histories.length < count && corpus.histories.length > 0) {
    const events: ChatEvent[] = [];
    for (let sum = 0; sum < tokens; at += 1) {
      for (const event of corpus.histories[at % corpus.histories.length] as ChatEvent[]) {
        const isRule = event.type === 'message' && (event.role === 'system' || event.role === 'developer');
        if (isRule && events.length > 0) continue;
        const cost = countEvent(event);
        if (sum > tokens) break;
        sum += cost;
        events.push(renamed(event, histories.length, events.length, at));
      }
    }
    histories.push(events);
  }
  return { name: `${corpus.name} joined to ${Math.round(tokens / 1000)}k`, histories };
}

/** Sessions use the same ids over and over: in one conversation an event's must be its own. */
function renamed(event: ChatEvent, history: number, index: number, session: number): ChatEvent {
  const own = {
    ...event,
    conversation_id: `joined-${history}`,
    event_id: `00000000-0000-4000-8000-${(history * 1e6 + index).toString(16).padStart(12, '0')}`,
  };
  if ('call_id' in own) own.call_id = `${own.call_id}-${session}`;
  if ('step_id' in own && own.step_id !== null) own.step_id = `${own.step_id}-${session}`;
  return own;
}

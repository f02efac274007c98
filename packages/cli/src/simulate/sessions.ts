import { createHash, randomUUID } from 'node:crypto';
import {
  type ChatEvent,
  inputEvent,
  type PalimpsestEvent,
  toEvent,
  topicOf,
  TOPICS,
} from '@palimpsest/events';
import type { EventLog } from '@palimpsest/log';
import { readImport } from '../import/read-import.js';
import { eventsOf, type LogDecoder } from '../replay/events-of.js';

/** A recorded conversation, in the order of the log. */
export interface Session {
  conversation: string;
  events: ChatEvent[];
}

/**
 * Up to `count` conversations of a stream of events, by a hash of their names: the same ones in every run, whatever else
 * the store holds. Only theirs are kept in memory.
 */
export async function sampleSessions(
  events: AsyncIterable<PalimpsestEvent>,
  count: number,
  only?: string,
): Promise<Session[]> {
  const sessions = new Map<string, { hash: string; session: Session }>();
  let highest = '~';
  for await (const event of events) {
    const { conversation_id: conversation, tenant } = event;
    if (!isChat(event) || (only !== undefined && conversation !== only)) continue;
    const key = `${tenant}\0${conversation}`;
    const known = sessions.get(key);
    if (known !== undefined) {
      known.session.events.push(event);
      continue;
    }
    const hash = createHash('sha256').update(key).digest('hex');
    if (sessions.size >= count && hash >= highest) continue;
    sessions.set(key, { hash, session: { conversation, events: [event] } });
    if (sessions.size > count) {
      const [last] = [...sessions].toSorted((a, b) => (a[1].hash > b[1].hash ? -1 : 1));
      if (last !== undefined) sessions.delete(last[0]);
    }
    if (sessions.size >= count)
      highest =
        [...sessions.values()]
          .map((one) => one.hash)
          .toSorted()
          .at(-1) ?? '~';
  }
  return [...sessions.values()].toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ session }) => session);
}

/** Events of the log of a store. */
export async function* eventsOfLog(log: EventLog, decode: LogDecoder): AsyncGenerator<PalimpsestEvent> {
  for await (const { event } of eventsOf(log, TOPICS.messages, decode)) yield event;
}

/** Events of files in the format `events`, as they would lie in the log. */
export async function* eventsOfFiles(files: readonly string[]): AsyncGenerator<PalimpsestEvent> {
  for (const file of files) {
    for await (const item of readImport('events', file)) {
      if (item.kind === 'skipped') continue;
      yield toEvent(inputEvent.parse(item.event), ORIGIN);
    }
  }
}

/** Events read from files bring their ids; time and tenant make no difference to a context. */
const ORIGIN = { tenant: 'files', now: 0, newId: () => randomUUID(), strategy: null, generation: null };

function isChat(event: PalimpsestEvent): event is ChatEvent {
  return topicOf(event.type) === TOPICS.messages;
}

import { type ChatEvent, type EventCodec, keyOf, TOPICS } from '@palimpsest/events';
import type { EventLog, NewRecord } from '@palimpsest/log';
import fc from 'fast-check';
import { histories } from '../harness/histories.js';

/** Appended at once: several conversations, several partitions. */
const CHUNK = 24;
/** A chunk each: about 500 events/s, more than nothing waits and less than what two cores fold beside a broker. */
const PAUSE_MS = 45;
const CONVERSATIONS_PER_WAVE = 24;
/** Of one append, as a platform would try. */
const MOST_FAILURES = 5;

export interface Load {
  /** Everything appended so far, in the order of the log. */
  readonly records: readonly NewRecord[];
  readonly events: readonly ChatEvent[];
  /** Appends that failed and were repeated: their records may lie twice in the log. */
  readonly repeated: number;
  /** Ends with the wave under way, so that every conversation is whole. */
  finish(): Promise<void>;
  /** Rejects when an append fails again and again; never resolves before `finish`. */
  readonly done: Promise<void>;
}

/** Appends the events of many conversations, wave after wave, each in turns, until it is told to finish. */
export function startLoad(log: EventLog, codec: EventCodec, seed: number): Load {
  const records: NewRecord[] = [];
  const events: ChatEvent[] = [];
  let finishing = false;
  let repeated = 0;
  const appended = async (chunk: readonly NewRecord[], failures = 0): Promise<void> => {
    try {
      await log.append(TOPICS.messages, chunk);
    } catch (error) {
      if (failures === MOST_FAILURES) throw error;
      repeated += 1;
      await appended(chunk, failures + 1);
    }
  };
  const done = (async () => {
    for (let wave = 0; !finishing; wave++) {
      const turns = inTurns(conversationsOf(wave, seed));
      for (let at = 0; at < turns.length; at += CHUNK) {
        const chunk = turns.slice(at, at + CHUNK);
        const encoded = chunk.map((event) => ({
          key: keyOf(event),
          value: codec.encode(event),
          headers: { 'event-id': event.event_id },
        }));
        await appended(encoded);
        records.push(...encoded);
        events.push(...chunk);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  })();
  done.catch(() => undefined);
  return {
    records,
    events,
    done,
    get repeated() {
      return repeated;
    },
    finish() {
      finishing = true;
      return done;
    },
  };
}

/** Histories with parallel, open and late calls, huge and odd texts, pins; some ordered by `seq`, some by the log. */
function conversationsOf(wave: number, seed: number): ChatEvent[][] {
  const samples = fc.sample(histories({ pins: true }), {
    numRuns: CONVERSATIONS_PER_WAVE,
    seed: seed + wave,
  });
  return samples.map((history, at) =>
    history.map((event) => ({ ...event, conversation_id: `wave-${wave}-${at}` })),
  );
}

function inTurns(conversations: readonly ChatEvent[][]): ChatEvent[] {
  const longest = Math.max(...conversations.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    conversations.flatMap((events) => events[at] ?? []),
  ).flat();
}

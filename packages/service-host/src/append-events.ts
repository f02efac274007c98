import { type EventCodec, keyOf, type PalimpsestEvent, topicOf } from '@palimpsest/events';
import type { EventLog, NewRecord } from '@palimpsest/log';

/** Appends events to the topics of their types, in order within each topic. */
export function appendEvents(
  log: EventLog,
  codec: EventCodec,
): (events: readonly PalimpsestEvent[]) => Promise<void> {
  return async (events) => {
    const byTopic = new Map<string, NewRecord[]>();
    for (const event of events) {
      const topic = topicOf(event.type);
      const records = byTopic.get(topic) ?? [];
      byTopic.set(topic, records);
      records.push({
        key: keyOf(event),
        value: codec.encode(event),
        headers: { 'event-id': event.event_id },
      });
    }
    for (const [topic, records] of byTopic) await log.append(topic, records);
  };
}

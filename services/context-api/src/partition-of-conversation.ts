import { keyOf, type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import { type EventLog, partitionOf } from '@palimpsest/log';

/** The partition of `chat.messages` that a conversation lies in. A topic keeps its partitions, so it is asked once. */
export function partitionFinder(log: EventLog): (tenant: string, conversation: string) => Promise<number> {
  let partitions: Promise<number> | undefined;
  return async (tenant, conversation) => {
    partitions ??= log.partitions(TOPICS.messages).catch((error: unknown) => {
      partitions = undefined;
      throw error;
    });
    const key = keyOf({ type: 'message', tenant, conversation_id: conversation } as PalimpsestEvent);
    return partitionOf(key, await partitions);
  };
}

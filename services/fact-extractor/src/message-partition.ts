import { type FactsMadeEvent, keyOf } from '@palimpsest/events';
import { partitionOf } from '@palimpsest/log';

/** Partition of `chat.messages` where the conversation of a derivation lies: both topics are keyed alike. */
export function messagePartition(event: FactsMadeEvent, partitions: number): number {
  return partitionOf(keyOf(event), partitions);
}

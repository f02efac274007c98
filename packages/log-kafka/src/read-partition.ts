import { type LogRecord, OffsetOutOfRangeError } from '@palimpsest/log';
import type { ClusterView } from './cluster-view.js';
import { errorType, isPermanent } from './kafka-error.js';

const FETCH_BYTES = 2_000_000;
const TRIES = 5;

/**
 * Reads without joining a group: plain fetches from the partition's leader, until there are `limit` records or the end
 * of what was there at the start is reached.
 */
export async function readPartition(
  cluster: ClusterView,
  topic: string,
  partition: number,
  from: bigint,
  limit: number,
): Promise<LogRecord[]> {
  const { low, high } = await cluster.boundsOf(topic, partition);
  if (from < low) throw new OffsetOutOfRangeError(topic, partition, from, low);
  const records: LogRecord[] = [];
  let next = from;
  let failures = 0;
  while (next < high && records.length < limit) {
    try {
      const node = await cluster.leader(topic, partition);
      const [page] = await cluster.fetch(node, [{ topic, partition, from: next, maxBytes: FETCH_BYTES }], 0);
      // Nothing before the end: what follows is not committed yet.
      if (page === undefined || page.next === next) break;
      records.push(...page.records.slice(0, limit - records.length));
      next = page.next;
    } catch (error) {
      if (errorType(error) === 'OFFSET_OUT_OF_RANGE') {
        const now = await cluster.boundsOf(topic, partition);
        if (next < now.low) throw new OffsetOutOfRangeError(topic, partition, next, now.low);
        if (next > now.high) throw new OffsetOutOfRangeError(topic, partition, next, now.low, now.high);
      }
      if (isPermanent(error) || ++failures >= TRIES) {
        throw new Error(`Reading ${topic}[${partition}] from offset ${next} failed (${errorType(error)}).`, {
          cause: error,
        });
      }
      await cluster.recover(error);
    }
  }
  return records;
}

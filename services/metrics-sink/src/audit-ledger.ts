import { TOPICS } from '@palimpsest/events';
import type { AuditReport, Ledger, LedgerAudit } from '@palimpsest/ledger';
import type { EventLog, PartitionBounds } from '@palimpsest/log';
import { type DecodedRecord, PoisonError } from '@palimpsest/runtime';
import type pg from 'pg';
import { blockOf } from './block-of.js';
import { METRICS_SINK, type MetricsSinkOptions } from './metrics-sink.js';
import { readRange } from './read-range.js';

export interface LedgerAuditResult extends AuditReport {
  /** Records of steps and tasks that were read, dead ones included. */
  records: number;
  /** Records that are no rows: undecodable, or with a number the ledger cannot keep. They are in the dead letters. */
  refused: number;
  /** Records the sink has not reached yet. */
  pending: number;
  /** Partitions whose first records retention took: rows of theirs are reported as `foreign`. */
  cutPartitions: { topic: string; partition: number; low: string }[];
}

/** Records held in memory at once. */
const CHUNK = 5_000n;

/**
 * Holds the ledger against the whole log, by the functions with which the sink makes rows. Reads the checkpoints
 * first: what the sink has passed by then must be in the ledger; what comes later may be. Changes nothing.
 */
export async function auditLedger(
  parts: Pick<MetricsSinkOptions, 'log' | 'pool' | 'ledger' | 'decode' | 'generation'>,
): Promise<LedgerAuditResult> {
  const { log, pool, ledger } = parts;
  const passed = await checkpoints(pool, parts.generation ?? 0);
  const audit = await ledger.startAudit();
  const counted = { records: 0, refused: 0, pending: 0 };
  const cutPartitions: LedgerAuditResult['cutPartitions'] = [];
  try {
    for (const topic of [TOPICS.steps, TOPICS.tasks]) {
      for (const bounds of await log.bounds(topic)) {
        const { partition, low } = bounds;
        if (low > 0n) cutPartitions.push({ topic, partition, low: String(low) });
        const checkpoint = passed.get(`${topic}/${partition}`) ?? 0n;
        await addPartition({ ...parts, audit, topic, bounds, checkpoint, counted });
      }
    }
  } catch (error) {
    await audit.cancel();
    throw error;
  }
  return { ...counted, cutPartitions, ...(await audit.finish()) };
}

async function addPartition(work: {
  log: EventLog;
  ledger: Ledger;
  decode: MetricsSinkOptions['decode'];
  audit: LedgerAudit;
  topic: string;
  bounds: PartitionBounds;
  checkpoint: bigint;
  counted: { records: number; refused: number; pending: number };
}): Promise<void> {
  const { log, ledger, audit, topic, bounds, checkpoint, counted, decode } = work;
  const { partition, low, high } = bounds;
  const place = { topic, partition };
  for (let from = low; from < high; ) {
    // No chunk lies on both sides of the checkpoint.
    const end = from < checkpoint && checkpoint < from + CHUNK ? checkpoint : from + CHUNK;
    const nextOffset = end < high ? end : high;
    const range = { fromOffset: from, nextOffset };
    const events = await readRange(log, place, range, decode);
    const kept = events.filter((one) => isKept(place, one, ledger));
    const isPassed = nextOffset <= checkpoint;
    await audit.add(blockOf(place, range, kept, ledger.prices), isPassed);
    const records = Number(nextOffset - from);
    counted.records += records;
    counted.refused += records - kept.length;
    if (!isPassed) counted.pending += records;
    from = nextOffset;
  }
}

function isKept(place: { topic: string; partition: number }, one: DecodedRecord, ledger: Ledger): boolean {
  const { offset } = one.record;
  try {
    blockOf(place, { fromOffset: offset, nextOffset: offset + 1n }, [one], ledger.prices);
    return true;
  } catch (error) {
    if (error instanceof PoisonError) return false;
    throw error;
  }
}

async function checkpoints(pool: pg.Pool, generation: number): Promise<Map<string, bigint>> {
  const { rows } = await pool.query<{ topic: string; partition: number; next_offset: string }>(
    `select topic, partition, next_offset from palimpsest.checkpoints where generation = $1 and consumer = $2`,
    [generation, METRICS_SINK],
  );
  return new Map(rows.map((row) => [`${row.topic}/${row.partition}`, BigInt(row.next_offset)]));
}

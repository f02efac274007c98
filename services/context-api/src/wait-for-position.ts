import { setTimeout as pause } from 'node:timers/promises';
import { TOPICS } from '@palimpsest/events';
import { formatPosition, type Place } from '@palimpsest/views';
import type pg from 'pg';

export interface Wait {
  generation: number;
  /** The consumer that folds the views. */
  consumer: string;
  place: Place;
  timeoutMs: number;
  /** Aborted when the client has gone or the server stops: nobody waits for the answer any more. */
  signal: AbortSignal;
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits until the views hold everything up to a place, and returns null; or returns the position reached by then
 * (empty for none). The checkpoint tells, since it moves in the transaction that writes the views, and past events
 * that went to dead letters too.
 */
export async function waitForPosition(pool: pg.Pool, wait: Wait): Promise<string | null> {
  const { partition, offset } = wait.place;
  const deadline = performance.now() + wait.timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.6, LONGEST_PAUSE_MS)) {
    const next = await nextOffset(pool, wait);
    if (next > offset) return null;
    const left = deadline - performance.now();
    if (left <= 0 || wait.signal.aborted) return next === 0n ? '' : formatPosition(partition, next - 1n);
    // An aborted pause ends early, and the next round answers.
    await pause(Math.min(pauseMs, left), undefined, { signal: wait.signal }).catch(() => undefined);
  }
}

async function nextOffset(pool: pg.Pool, { generation, consumer, place }: Wait): Promise<bigint> {
  const { rows } = await pool.query<{ next_offset: string }>({
    name: 'view-checkpoint',
    text: `select next_offset from palimpsest.checkpoints
            where generation = $1 and consumer = $2 and topic = $3 and partition = $4`,
    values: [generation, consumer, TOPICS.messages, place.partition],
  });
  return BigInt(rows[0]?.next_offset ?? 0);
}

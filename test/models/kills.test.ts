import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it } from 'vitest';
import {
  type DerivationCase,
  derivationCase,
} from '../../packages/derivations/src/testing/derivation-case.js';
import { userOf } from '../../packages/llm/src/loopback-server.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';
import { buildService } from '../processes/service-process.js';

/** Side by side, each with a store of its own: a start waits for locks of the dead more than it computes. */
const CASES = 5;
/** Of each case: fifty in all. */
const KILLS = 10;
const CONVERSATIONS = 6;
const BLOCKS = 8;
/** Fixed: the same moments in every run, as far as the machine allows. */
const SEED = 20_260;

const children = new Set<ChildProcess>();
const open: { at: DerivationCase; db: TestDatabase }[] = [];
beforeAll(() => buildService('summarizer'));
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const { at, db } of open.splice(0)) {
    await at.close();
    await db.drop();
  }
});

function warmChild(): Promise<ChildProcess> {
  // As built: not with the conditions that tests resolve packages by.
  const child = fork(join(import.meta.dirname, 'summarizer-child.mjs'), { execArgv: [] });
  children.add(child);
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', () => reject(new Error('a child ended before it began')));
  });
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One summarizer after the other over the same store, each killed, the last left to finish. */
async function killedCase(seed: number): Promise<{ hits: number; repeated: number }> {
  const db = await freshDatabase({ migrated: true });
  const at = await derivationCase(db, { kind: 'answer', text: 'The user asked about orders.', delayMs: 15 });
  open.push({ at, db });
  for (let number = 0; number < CONVERSATIONS; number += 1) {
    const texts = Array.from(
      { length: 4 * BLOCKS + 2 },
      (_, n) =>
        `Message ${number}/${n} speaks at some length of an order ORD-${number}-${n}, of its price and of the way it is sent.`,
    );
    await at.say(`c${number}`, texts);
  }
  await at.project();
  const random = randomOf(seed);
  const { requests, baseUrl } = at.server;
  /** How many requests the server had seen when a process was dead. */
  const deaths: number[] = [];
  const next = [warmChild()];
  const go = async (): Promise<ChildProcess> => {
    next.push(warmChild());
    const child = await (next.shift() as Promise<ChildProcess>);
    child.send({ url: db.url, baseUrl });
    return child;
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = await go();
    const gone = once(child, 'exit');
    // Every fifth while it starts, the others at work.
    const seen = requests.length;
    for (let wait = 0; kill % 5 !== 0 && requests.length === seen && wait < 400; wait += 1) await pause(10);
    await pause(random() * 200);
    child.kill('SIGKILL');
    await gone;
    children.delete(child);
    deaths.push(requests.length);
  }
  const last = await go();
  for (let idle = 0; idle < 3; ) {
    await once(last, 'message');
    idle += 1;
  }

  const blocks = CONVERSATIONS * BLOCKS;
  const { rows } = await db.pool.query<{ n: string }>('select count(*) as n from palimpsest.summaries');
  expect(Number(rows[0]?.n)).toBe(blocks);

  // A question asked again was the last one of a process that died.
  const inFlight = new Set(deaths.map((seen) => seen - 1));
  const lastAsked = new Map<string, number>();
  let repeated = 0;
  for (const [index, request] of requests.entries()) {
    const question = userOf(request);
    const before = lastAsked.get(question);
    if (before !== undefined) {
      repeated += 1;
      expect(inFlight.has(before), `request ${before} was repeated by ${index}`).toBe(true);
    }
    lastAsked.set(question, index);
  }
  expect(lastAsked.size).toBe(blocks);
  expect(repeated).toBeLessThanOrEqual(KILLS);
  return { hits: deaths.filter((seen, index) => seen > (deaths[index - 1] ?? 0)).length, repeated };
}

it('summarizers killed at 50 random moments repeat at most the call in flight, and lose no answer', async () => {
  const cases = await Promise.all(Array.from({ length: CASES }, (_, number) => killedCase(SEED + number)));
  // The kills hit: most of them while there was work.
  expect(cases.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan((CASES * KILLS) / 2);
}, 240_000);

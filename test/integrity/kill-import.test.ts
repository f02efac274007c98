import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@palimpsest/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommandLine, ROOT, type RunningCommand, runCommand } from '../harness/command-line.js';
import { runStack, temporaryFolder } from '../harness/running-stack.js';
import { type StoreSnapshot, storeSnapshot } from '../harness/store-snapshot.js';

/** Parts of an import's run that a kill can hit; a kill falls at a random moment inside one. */
const PHASES = ['Postgres starts', 'the rest starts', 'accept', 'fold, sink and stop'] as const;
/** Each kill's phase. Every run imports some files more than the one before, so that there is always work to hit. */
const KILLS = [0, 2, 3, 1, 2, 3, 2, 1, 3, 2, 0, 3, 2, 1, 3, 2, 3, 2, 1, 0];
/** Events per file, and so per request: an import is many requests, and a kill can fall between any two. */
const EVENTS_PER_FILE = 12;

const seed = Number(process.env['KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const random = mulberry32(seed);
const folder = temporaryFolder();
const calm = path.join(folder, 'calm');
const killed = path.join(folder, 'killed');
let files: string[];
let events: Set<string>;

beforeAll(() => {
  buildCommandLine();
  files = writeFiles([
    ...sample('shop-coffee-ru'),
    ...sample('runs-order-refund'),
    ...withSeq(sample('support-internet-uk')),
    ...sample('debate-four-day-week'),
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an import that is killed', () => {
  it(`loses and doubles nothing at 20 random moments (KILL_SEED=${seed})`, async () => {
    process.stderr.write(`kill-import: KILL_SEED=${seed}\n`);
    const lengths = await undisturbed();
    const hits = PHASES.map(() => 0);
    for (const [kill, phase] of KILLS.entries()) {
      const some = files.slice(0, Math.ceil(((kill + 1) / KILLS.length) * files.length));
      while (!(await killOnce(some, phase, random() * (lengths[phase] as number)))) {
        // Faster than it was measured, and ended well: the next one is killed sooner.
        lengths[phase] = (lengths[phase] as number) / 2;
      }
      hits[phase] = (hits[phase] as number) + 1;
    }
    const last = start(files, killed);
    expect(await last.ended, last.stderr()).toEqual({ code: 0, signal: null });
    process.stderr.write(`kill-import: killed ${hits.map((n, at) => `${n} x ${PHASES[at]}`).join(', ')}\n`);

    const wanted = await read(calm);
    const found = await read(killed);
    expect(new Set(found.eventIds)).toEqual(events);
    expect(Object.keys(found.snapshot.conversations)).toEqual(Object.keys(wanted.snapshot.conversations));
    for (const [name, conversation] of Object.entries(wanted.snapshot.conversations)) {
      expect(found.snapshot.conversations[name], name).toEqual(conversation);
    }
    expect(found.snapshot).toEqual(wanted.snapshot);
    // What is compared is there: every kind of row, in one conversation at least.
    for (const kind of ['events', 'views', 'summaries', 'facts']) {
      const rows = Object.values(found.snapshot.conversations).flatMap(
        (one) => (one as Record<string, unknown[]>)[kind],
      );
      expect(rows.length, kind).toBeGreaterThan(0);
    }
    for (const rows of [found.snapshot.steps, found.snapshot.tasks, found.snapshot.costs]) {
      expect(rows.length).toBeGreaterThan(0);
    }
    for (const store of [calm, killed]) {
      expect(existsSync(path.join(store, 'instance.json'))).toBe(false);
      expect(existsSync(path.join(store, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
    }
  }, 300_000);
});

/** Starts an import and kills it some time into a phase; false where it had ended by then. */
async function killOnce(some: readonly string[], phase: number, afterMs: number): Promise<boolean> {
  const command = start(some, killed);
  await begun(command, phase);
  await Promise.race([delay(afterMs), command.ended]);
  command.child.kill('SIGKILL');
  const { signal, code } = await command.ended;
  if (signal !== 'SIGKILL') expect(code, command.stderr()).toBe(0);
  return signal === 'SIGKILL';
}

function start(some: readonly string[], data: string): RunningCommand {
  return runCommand(['import', 'events', ...some, '--data', data]);
}

/** Imports everything without a kill and returns how long each phase took, ms. */
async function undisturbed(): Promise<number[]> {
  const command = start(files, calm);
  const marks = [performance.now()];
  for (const phase of [1, 2, 3]) {
    await begun(command, phase);
    marks.push(performance.now());
  }
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  marks.push(performance.now());
  return PHASES.map((_, at) => (marks[at + 1] as number) - (marks[at] as number));
}

/** Resolves when a run has come to that phase. */
async function begun(command: RunningCommand, phase: number): Promise<void> {
  if (phase === 1) await command.says('Opening ClickHouse');
  if (phase === 3) await command.says('Folding');
  if (phase !== 2) return;
  // Its own word that the API serves; a killed run has left one of another process.
  const data = command.child.spawnargs.at(-1) as string;
  const serves = (): boolean => {
    try {
      const instance = JSON.parse(readFileSync(path.join(data, 'instance.json'), 'utf8')) as { pid: number };
      return instance.pid === command.child.pid;
    } catch {
      return false;
    }
  };
  while (!serves() && command.child.exitCode === null) await delay(5);
}

async function read(data: string): Promise<{ snapshot: StoreSnapshot; eventIds: string[] }> {
  const stack = await runStack(data);
  try {
    await stack.settled();
    const places = new Map<string, string>();
    for (const topic of [TOPICS.messages, TOPICS.steps, TOPICS.tasks]) {
      for (const { partition, offset, headers } of await stack.recordsOf(topic)) {
        places.set(`${topic}/${partition}/${offset}`, headers['event-id'] ?? '');
      }
      expect(await stack.deadLettersOf(topic)).toEqual([]);
    }
    const accepted = await stack.rows<{ event_id: string; place: string }>(
      `select event_id, topic || '/' || partition || '/' || "offset" as place from palimpsest.accepted_events`,
    );
    for (const { event_id, place } of accepted) expect(places.get(place), place).toBe(event_id);
    expect(await stack.rows('select from palimpsest.ledger_blocks where not done')).toEqual([]);
    const ours = [...places.values()].filter((id) => events.has(id));
    return { snapshot: await storeSnapshot(stack), eventIds: ours };
  } finally {
    await stack.stop();
  }
}

type Line = Record<string, unknown> & { event_id: string };

function sample(name: string): Line[] {
  return readFileSync(path.join(ROOT, 'samples', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** The same conversation as a producer sends it who numbers its events. */
function withSeq(lines: Line[]): Line[] {
  return lines.map((line, seq) =>
    ['step', 'task_started', 'task_finished'].includes(line['type'] as string) ? line : { ...line, seq },
  );
}

function writeFiles(lines: readonly Line[]): string[] {
  const target = path.join(folder, 'events');
  mkdirSync(target);
  events = new Set(lines.map((line) => line.event_id));
  const written: string[] = [];
  for (let at = 0; at < lines.length; at += EVENTS_PER_FILE) {
    const file = path.join(target, `${String(at).padStart(5, '0')}.jsonl`);
    writeFileSync(
      file,
      lines
        .slice(at, at + EVENTS_PER_FILE)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    written.push(file);
  }
  return written;
}

/** Small seeded generator, good enough to spread moments. */
function mulberry32(state: number): () => number {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommandLine, finishCommand, type RunningCommand, runCommand } from '../harness/command-line.js';
import { generationText } from '../harness/replay-case.js';

let folder: string;
let data: string;
let stack: RunningCommand;
let pool: pg.Pool;
let url: string;
let key: string;
beforeAll(async () => {
  buildCommandLine();
  folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-replay-'));
  data = path.join(folder, 'data');
  writeFileSync(
    path.join(folder, 'next.yaml'),
    'name: next\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n',
  );
  stack = runCommand(['start', '--data', data]);
  await stack.says('Ctrl-C stops it');
  const instance = JSON.parse(readFileSync(path.join(data, 'instance.json'), 'utf8')) as Record<
    string,
    string
  >;
  url = instance['url'] as string;
  key = readFileSync(path.join(data, 'key'), 'utf8').trim();
  pool = new pg.Pool({ connectionString: instance['postgres'] as string });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  stack.child.kill('SIGTERM');
  await stack.ended;
  rmSync(folder, { recursive: true, force: true });
});

async function ask(route: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}${route}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** As producers and agents that go on: each turn is sent, then its context is asked for, until told to end. */
function traffic(): {
  answers: { status: number; generation: unknown; strategy: unknown }[];
  end(): Promise<void>;
} {
  const answers: { status: number; generation: unknown; strategy: unknown }[] = [];
  let going = true;
  const running = (async () => {
    for (let turn = 0; going; turn += 1) {
      const sent = await ask('/v1/events', { events: eventsOf(turn) });
      if (sent.status !== 202) throw new Error(`refused: ${JSON.stringify(sent.body)}`);
      const after = (sent.body['positions'] as { position: string }[]).at(-1)?.position;
      const context = await ask(`/v1/conversations/going-on/context?after=${after}`);
      answers.push({
        status: context.status,
        generation: context.body['generation'],
        strategy: context.body['strategy'],
      });
    }
  })();
  return {
    answers,
    async end() {
      going = false;
      await running;
    },
  };
}

function eventsOf(turn: number): object[] {
  const rows = Array.from({ length: 60 }, (_, n) => ({ id: `ORD-${turn}${n}`, total: n * 1.5 }));
  return [
    { type: 'message', role: 'user', content: `My order is ORD-${turn}. I prefer tea ${turn}.` },
    { type: 'tool_call', call_id: `k${turn}`, tool: 'get_order', arguments: { turn } },
    { type: 'tool_result', call_id: `k${turn}`, content: { rows } },
    { type: 'message', role: 'assistant', content: `It was sent on 2026-0${1 + (turn % 9)}-11.` },
  ].map((event) => ({ conversation_id: 'going-on', ...event }));
}

/** Runs a command and kills it as soon as it says so. */
async function killedAt(text: string, args: string[]): Promise<void> {
  const command = runCommand([...args, '--data', data]);
  await command.says(text);
  command.child.kill('SIGKILL');
  await command.ended;
}

const statuses = async (): Promise<string[]> =>
  (
    await pool.query<{ status: string }>('select status from palimpsest.generations order by generation')
  ).rows.map((row) => row.status);

describe('a replay beside live traffic that is killed at every step', () => {
  it('leaves the live generation serving, goes on, switches once, and back', async () => {
    const going = traffic();
    const replay = ['replay', '--strategy', path.join(folder, 'next.yaml')];
    for (const step of ['Step 1 of 3', 'Step 2 of 3', 'Step 3 of 3']) {
      await killedAt(step, replay);
      expect(await statuses()).toEqual(['live', 'building']);
    }
    const built = JSON.parse(await finishCommand([...replay, '--json', '--data', data])) as {
      generation: number;
    };
    expect(built.generation).toBe(2);
    await killedAt('Step 1 of 3', ['promote', '2']);
    expect(await statuses()).toEqual(['live', 'building']);
    // In the middle of the transaction: either it was done or it was not.
    await killedAt('Step 2 of 3', ['promote', '2']);
    expect(['live,building', 'standby,live']).toContain((await statuses()).join());
    await finishCommand(['promote', '2', '--data', data]);
    await killedAt('Step 1 of 1', ['rollback']);
    await finishCommand(['promote', '2', '--data', data]);
    expect(await statuses()).toEqual(['standby', 'live']);
    await going.end();

    expect(going.answers.length).toBeGreaterThan(10);
    expect(new Set(going.answers.map(({ status }) => status))).toEqual(new Set([200]));
    const pairs = new Set(going.answers.map(({ generation, strategy }) => `${generation} ${strategy}`));
    expect(pairs.size).toBe(2);

    // Built from empty by the same strategy it is the same, byte for byte.
    const again = JSON.parse(await finishCommand([...replay, '--json', '--data', data])) as {
      generation: number;
    };
    expect(again.generation).toBe(3);
    expect(await generationText(pool, 3)).toBe(await generationText(pool, 2));

    await finishCommand(['rollback', '--data', data]);
    expect(await statuses()).toEqual(['live', 'standby', 'building']);
    await finishCommand(['retire', '2', '--data', data]);
    const left = await pool.query(`select from pg_class where relname like '%\\_g2'`);
    expect(left.rowCount).toBe(0);
    expect((await ask('/v1/conversations/going-on/context')).status).toBe(200);
  }, 240_000);
});

import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@palimpsest/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommandLine, finishCommand, type RunningCommand, runCommand } from '../harness/command-line.js';
import { temporaryFolder } from '../harness/running-stack.js';

const folder = temporaryFolder();
const SHOWN = ['shop-coffee-ru', 'support-stuck-exports', 'contract-lease-review'];
let running: RunningCommand | undefined;

beforeAll(() => buildCommandLine());
afterAll(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  rmSync(folder, { recursive: true, force: true });
});

interface Served {
  url: string;
  key: string;
  client: ReturnType<typeof createClient>;
}

async function start(): Promise<Served> {
  running = runCommand(['start', '--data', folder]);
  await running.says('Ctrl-C stops it');
  const url = /serves at (http:\S+) /.exec(running.stdout())?.[1] as string;
  const key = readFileSync(path.join(folder, 'key'), 'utf8').trim();
  return { url, key, client: createClient({ url, key }) };
}

/** Ctrl-C as a supervisor says it. */
async function stop(): Promise<void> {
  running?.child.kill('SIGTERM');
  expect(await running?.ended, running?.stderr()).toEqual({ code: 0, signal: null });
  expect(existsSync(path.join(folder, 'instance.json'))).toBe(false);
  expect(existsSync(path.join(folder, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
}

async function whatItSays({ client, url, key }: Served): Promise<unknown> {
  const contexts = [];
  for (const conversation of SHOWN) {
    for (const budget of [2000, 8000]) contexts.push(await client.context(conversation, { budget }));
  }
  const { costs } = (await get(`${url}/v1/costs?group_by=agent,strategy,day`, key)) as {
    costs: { agent: string }[];
  };
  // Without our own maintenance of a conversation that has no agent: one of the tests adds some.
  return { contexts, costs: costs.filter((row) => row.agent !== '') };
}

async function get(url: string, key: string): Promise<unknown> {
  return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json();
}

// One store, in order: each test goes on where the one before has stopped.
describe('palimpsest start', () => {
  let first: Served;
  let said: unknown;

  it('imports the samples into an empty store and serves them', async () => {
    first = await start();
    expect(running?.stderr()).toContain('Importing');
    said = await whatItSays(first);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  });

  it('refuses a folder that is in use, and says by whom and what to do', async () => {
    const second = runCommand(['start', '--once', '--data', folder]);
    expect((await second.ended).code).toBe(1);
    expect(second.stderr()).toContain(`process ${running?.child.pid}`);
    expect(second.stderr()).toContain('--data');
    expect(await whatItSays(first)).toEqual(said);
  });

  it('lets other commands talk to the stack that runs', async () => {
    const context = await finishCommand([
      'context',
      SHOWN[0] as string,
      '--budget',
      '4000',
      '--json',
      '--data',
      folder,
    ]);
    expect(JSON.parse(context)).toEqual(await first.client.context(SHOWN[0] as string, { budget: 4000 }));
  });

  it('drains at SIGTERM and exits with 0, and what was accepted last is there after the next start', async () => {
    const sent = await first.client.sendEvents(
      Array.from({ length: 300 }, (_, n) => ({
        type: 'message' as const,
        conversation_id: 'last words',
        role: 'user' as const,
        content: `word ${n}`,
      })),
    );
    expect(sent.accepted).toBe(300);
    await stop();

    const again = await start();
    expect(again.key).toBe(first.key);
    expect(running?.stderr()).not.toContain('Importing');
    expect(await whatItSays(again)).toEqual(said);
    const { messages } = await again.client.context('last words', { budget: 100_000 });
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'word 299' });
    expect(await get(`${again.url}/v1/conversations/last%20words`, again.key)).toMatchObject({
      lag: 0,
      counts: { message: 300 },
    });
    await stop();
  });
});

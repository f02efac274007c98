import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEmbeddedLog } from '@palimpsest/log-embedded';
import { startPostgres } from '@palimpsest/postgres-embedded';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildCommandLine, finishCommand, runCommand } from '../harness/command-line.js';

let data: string;
beforeAll(() => {
  buildCommandLine();
  data = mkdtempSync(path.join(tmpdir(), 'palimpsest-operator-'));
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const ask = async <T>(...args: string[]): Promise<T> =>
  JSON.parse(await finishCommand([...args, '--json', '--data', data])) as T;

describe('the operator', () => {
  it('makes keys on a store that does not run, and they open its API once it does', async () => {
    const { key_id, secret } = await ask<{ key_id: string; secret: string }>(
      'keys',
      'create',
      '--tenant',
      'shop',
      '--scopes',
      'read,ingest',
    );
    const running = runCommand(['start', '--data', data]);
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await running.says('Ctrl-C stops it');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stdout() + running.stderr())?.[0] as string;
    expect(statSync(path.join(data, 'instance.json')).mode & 0o077).toBe(0);
    const status = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await fetch(`${url}/v1/conversations/none`, { headers })).status;
    };
    expect(await status()).toBe(404);

    const keys = await ask<{ key_id: string; tenant: string }[]>('keys', 'list', '--tenant', 'shop');
    expect(keys).toEqual([expect.objectContaining({ key_id, tenant: 'shop', revoked_at: null })]);
    expect(JSON.stringify(keys)).not.toContain(secret.slice(-20));
    await ask('keys', 'revoke', secret);
    expect(await status()).toBe(401);

    running.child.kill('SIGTERM');
    await running.ended;
  });

  it('lists, shows and replays a dead letter', async () => {
    await appendBroken('not an event');
    const running = runCommand(['start', '--data', data]);
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await running.says('Ctrl-C stops it');
    const letters = await untilSome(() => ask<{ place: string; class: string }[]>('dead-letters', 'list'));
    const place = letters.find((letter) => letter.place.startsWith('truncator/'))?.place as string;
    const shown = await ask<{ value: string; class: string }>('dead-letters', 'show', place);
    expect(Buffer.from(shown.value, 'base64').toString()).toBe('not an event');
    expect(shown.class).toBe('decode');
    expect(await ask('dead-letters', 'replay', place)).toEqual({ replayed: [place] });
    const left = await ask<{ place: string }[]>('dead-letters', 'list');
    expect(left.map((letter) => letter.place)).not.toContain(place);
    running.child.kill('SIGTERM');
    await running.ended;
  });

  it.each([
    ['a scope that is none', ['keys', 'create', '--tenant', 't', '--scopes', 'root']],
    ['nothing to replay named', ['dead-letters', 'replay']],
    ['no tenant', ['keys', 'create']],
  ])('is told with exit code 2: %s', async (_, args) => {
    const command = runCommand([...args, '--data', data]);
    expect((await command.ended).code).toBe(2);
  });

  it('is told the line of a strategy file that does not hold, before anything starts', async () => {
    const file = path.join(data, 'bad.yaml');
    writeFileSync(file, 'name: x\nwindow:\n  messages: many\n');
    const command = runCommand(['replay', '--strategy', file, '--data', data]);
    expect((await command.ended).code).toBe(2);
    expect(command.stderr()).toMatch(/bad\.yaml:3: window\.messages: /);
    expect(command.stderr()).not.toContain('Starting');
  });

  it('is told which key or letter there is not', async () => {
    for (const args of [
      ['keys', 'revoke', '000000000000'],
      ['dead-letters', 'show', 'truncator/chat.messages/0/999'],
    ]) {
      const command = runCommand([...args, '--data', data]);
      expect((await command.ended).code).toBe(1);
      expect(command.stderr()).toContain(args[2]);
    }
  });
});

/** Into the log of the store, as a producer would that knows no schema. */
async function appendBroken(text: string): Promise<void> {
  const postgres = await startPostgres({ dataFolder: path.join(data, 'postgres') });
  const pool = new pg.Pool({ connectionString: postgres.url() });
  pool.on('error', () => undefined);
  const log = await createEmbeddedLog({ pool, listen: postgres.url() });
  await log.append('chat.messages', [{ key: 'shop/c1', value: Buffer.from(text) }]);
  await log.close();
  await pool.end();
  await postgres.stop();
}

async function untilSome<T>(list: () => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const found = await list();
    if (found.length > 0) return found;
  }
}

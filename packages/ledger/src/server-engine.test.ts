import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './engine.js';
import { openServerEngine, type ServerOptions } from './server-engine.js';

/** Answers every request with nothing and keeps it: what is tested is what a server would be asked. */
const asked: { params: URLSearchParams; body: string }[] = [];
let server: Server;
let options: ServerOptions;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      const { searchParams } = new URL(request.url!, 'http://server');
      asked.push({ params: searchParams, body: `${searchParams.get('query') ?? ''}\n${body}` });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  options = { url: `http://127.0.0.1:${port}`, username: 'u', password: 'secret', database: 'bill' };
});
afterAll(() => server.close());

describe('a ClickHouse server as the engine', () => {
  it('gets each block with its token, waited for, and nothing asynchronous', async () => {
    const engine = await openServerEngine(options);
    expect(asked.at(-1)!.body).toContain('create database if not exists `bill`');
    expect(asked.at(-1)!.params.get('database')).toBeNull();
    await engine.insert('step_rows', ['tenant'], [["a'b"]], 'agent.steps/0/1/2/ab');
    const { params, body } = asked.at(-1)!;
    expect(body).toContain('["a\'b"]');
    expect(Object.fromEntries(params)).toMatchObject({
      database: 'bill',
      insert_deduplication_token: 'agent.steps/0/1/2/ab',
      insert_deduplicate: '1',
      deduplicate_blocks_in_dependent_materialized_views: '1',
      async_insert: '0',
    });
    await engine.close();
  });

  it('is read with its door shut and under limits', async () => {
    const engine = await openServerEngine(options);
    await engine.read('select 1', 'JSON', { tenant: null, limits: DEFAULT_LIMITS });
    expect(Object.fromEntries(asked.at(-1)!.params)).toMatchObject({
      readonly: '1',
      max_execution_time: '30',
      max_result_rows: '100000',
      result_overflow_mode: 'throw',
    });
    await engine.close();
  });

  it('does not pretend to keep tenants apart', async () => {
    const engine = await openServerEngine(options);
    const before = asked.length;
    const scope = { tenant: 'a', limits: DEFAULT_LIMITS };
    await expect(engine.read('select 1', 'JSON', scope)).rejects.toThrow('admin scope');
    expect(asked).toHaveLength(before);
    await engine.close();
  });

  it('says what could not be reached, without the password', async () => {
    const closed = { ...options, url: 'http://127.0.0.1:1' };
    const error = await openServerEngine(closed).catch((thrown: unknown) => thrown as Error);
    expect(String(error)).toContain('ClickHouse at http://127.0.0.1:1 could not be used');
    expect(String(error)).not.toContain('secret');
  });
});

import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent } from '../../../../packages/ledger/test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../../../../packages/ledger/test/temporary-ledger.js';
import { createLedgerReader } from '../ledger-reader.js';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let store: TemporaryLedger;
let server: TestApi;
let url: string;
let key: string;
beforeAll(async () => {
  store = await temporaryLedger();
  await store.insertSteps([
    stepEvent({ tenant: 'acme', agent: `it's "odd"`, usage: { input: 400_000, output: 0 } }),
    stepEvent({ tenant: 'other', agent: 'theirs' }),
  ]);
  server = await startTestApi({ ledger: createLedgerReader(store.ledger) });
  url = await server.api.listen();
  key = await server.key('acme', ['read']);
});
afterAll(async () => {
  await server.close();
  await store.drop();
});

const ask = async (query: string, parameters: Record<string, string> = {}, init: RequestInit = {}) => {
  const search = new URLSearchParams({ ...parameters, query });
  const response = await fetch(`${url}/v1/clickhouse?${search}`, {
    ...init,
    headers: { 'x-clickhouse-key': key, ...init.headers },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

describe('ClickHouse’s HTTP interface', () => {
  it('works with ClickHouse’s own client', async () => {
    const client = createClient({ url, pathname: '/v1/clickhouse', username: 'default', password: key });
    try {
      expect(await client.ping()).toEqual({ success: true });
      const result = await client.query({
        query: 'select agent, cost from steps where agent = {agent:String} and step_index >= {from:UInt8}',
        format: 'JSONEachRow',
        query_params: { agent: `it's "odd"`, from: 0 },
      });
      expect(await result.json()).toEqual([{ agent: `it's "odd"`, cost: '1' }]);
      await expect(client.query({ query: 'select nothing from nowhere' })).rejects.toMatchObject({
        code: '60',
        type: 'UNKNOWN_TABLE',
      });
      await expect(
        client.insert({ table: 'step_rows', values: [{ tenant: 'acme' }], format: 'JSONEachRow' }),
      ).rejects.toMatchObject({
        code: '164',
        type: 'READONLY',
      });
    } finally {
      await client.close();
    }
  });

  it('works with curl: the query as body, any content type, Basic for the key', async () => {
    const response = await fetch(`${url}/v1/clickhouse/?default_format=CSVWithNames`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'select count() as n from steps',
    });
    expect(await response.text()).toBe('"n"\n1\n');
    expect((await ask('select 1, 2')).text).toBe('1\t2\n');
  });

  it('works with what Grafana asks', async () => {
    const { text, headers } = await ask(
      `SELECT toUnixTimestamp(toStartOfDay(occurred_at)) * 1000 AS t, sum(cost) AS usd FROM palimpsest.steps
        WHERE occurred_at >= toDateTime(1767225600) AND occurred_at <= toDateTime(1798761600) GROUP BY t ORDER BY t FORMAT JSON`,
      { database: 'default', readonly: '1', max_execution_time: '10', add_http_cors_header: '1' },
    );
    expect(JSON.parse(text)).toMatchObject({ data: [{ usd: '1' }], rows: 1 });
    expect(headers.get('x-clickhouse-format')).toBe('JSON');
    expect(headers.get('content-type')).toContain('application/json');
  });

  it.each([
    ['a write', 'insert into step_rows (tenant) values (1)', {}, 164],
    ['a drop', 'drop table step_rows', {}, 164],
    ['a limit lifted by the query', 'select 1 settings max_execution_time = 0', {}, 164],
    ['a limit lifted by the URL', 'select 1', { max_execution_time: '3600' }, 452],
    ['a limit taken away', 'select 1', { max_result_rows: '0' }, 452],
    ['a scope brought along', 'select 1', { log_comment: 'all' }, 164],
    ['a setting', 'select 1', { output_format_json_quote_decimals: '0' }, 164],
    ['a session', 'select 1', { session_id: 'x' }, 164],
    ['another database', 'select 1', { database: 'system' }, 81],
    ['the server’s own tables', 'select * from system.processes', {}, 164],
    ['a file', "select * from file('/etc/passwd')", {}, 164],
    ['a binary format', 'select 1 format Native', {}, 73],
  ])('refuses %s', async (_, query, parameters, code) => {
    const { status, text, headers } = await ask(query, parameters);
    expect({ status, code: headers.get('x-clickhouse-exception-code') }, text).toEqual({
      status: 400,
      code: String(code),
    });
    expect(text).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: .+ \\([A-Z_]+\\)\n$`, 's'));
  });

  it('shows the rows of the key’s tenant and of nobody else', async () => {
    for (const from of ['steps', 'step_rows', 'cost_per_completed_task', 'rollup_fresh', 'touched_rows']) {
      expect((await ask(`select distinct tenant from ${from}`)).text, from).toBe('acme\n');
    }
    const other = await server.key('other', ['read']);
    expect((await ask('select agent from steps', {}, { headers: { 'x-clickhouse-key': other } })).text).toBe(
      'theirs\n',
    );
  });

  it('holds an answer to the limit that the client lowers', async () => {
    const { text } = await ask('select number from numbers(50)', { max_result_rows: '10' });
    expect(text).toContain('Limit for result');
  });

  it('lets nobody in without a key of the scope read', async () => {
    const wrong = await server.key('acme', ['ingest']);
    expect((await ask('select 1', {}, { headers: { 'x-clickhouse-key': 'nonsense' } })).status).toBe(401);
    expect((await ask('select 1', {}, { headers: { 'x-clickhouse-key': wrong } })).status).toBe(403);
  });
});

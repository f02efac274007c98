import type { Ledger } from '@palimpsest/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remoteLedger } from './remote-ledger.js';
import { type LedgerEndpoint, serveLedger } from './serve-ledger.js';

const TOKEN = 'a-token-of-many-characters';
const asked: unknown[] = [];
const ledger: Pick<Ledger, 'query'> = {
  async query(sql, options) {
    if (sql.includes('wrong')) throw new Error('There is no table wrong.');
    asked.push({ sql, ...options });
    return '{"data":[{"n":"1"}]}';
  },
};

describe('an embedded ledger that another process reads', () => {
  let endpoint: LedgerEndpoint;
  beforeAll(async () => {
    endpoint = await serveLedger({ ledger, token: TOKEN, port: 0 });
  });
  afterAll(() => endpoint.close());
  const reader = (token = TOKEN) => remoteLedger({ url: endpoint.url, token });

  it('answers one tenant, read-only', async () => {
    const text = await reader().query('select 1', { readonly: true, tenant: 'Ünïcode', format: 'JSON' });
    expect(text).toBe('{"data":[{"n":"1"}]}');
    expect(asked.at(-1)).toEqual({ sql: 'select 1', readonly: true, tenant: 'Ünïcode', format: 'JSON' });
  });

  it('says what was wrong with a query', async () => {
    const query = reader().query('select * from wrong', { readonly: true, tenant: 't' });
    await expect(query).rejects.toThrow('There is no table wrong.');
  });

  it('answers nobody without the token', async () => {
    const query = reader('another-token-of-characters').query('select 1', { readonly: true, tenant: 't' });
    await expect(query).rejects.toThrow('token');
    expect((await fetch(endpoint.url)).status).toBe(401);
  });

  it.each([
    '{}',
    'no json',
    '{"query":"select 1"}',
    '{"query":"select 1","tenant":""}',
    '{"query":1,"tenant":"t"}',
  ])('never asks for all tenants: %s', async (body) => {
    const before = asked.length;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${endpoint.url}/query`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(asked).toHaveLength(before);
    await expect(reader().query('select 1', { readonly: true })).rejects.toThrow('tenant');
  });

  it('is not served with a token that can be guessed', async () => {
    await expect(serveLedger({ ledger, token: 'short', port: 0 })).rejects.toThrow('PALIMPSEST_LEDGER_TOKEN');
  });

  it('says so when it is gone', async () => {
    const gone = await serveLedger({ ledger, token: TOKEN, port: 0 });
    await gone.close();
    const query = remoteLedger({ url: gone.url, token: TOKEN }).query('select 1', {
      readonly: true,
      tenant: 't',
    });
    await expect(query).rejects.toThrow('does not answer');
  });
});

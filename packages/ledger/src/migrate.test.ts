import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbeddedEngine } from './embedded-engine.js';
import { DEFAULT_LIMITS, type Engine } from './engine.js';
import { migrate, NewerSchemaError, readMigrations } from './migrate.js';
import type { Price } from './price-book.js';
import { loadPriceBook, seedPrices, storePrices } from './price-store.js';
import { TENANT_TABLES } from './row-policies.js';

let folder: string;
let engine: Engine;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-migrate-'));
  engine = await openEmbeddedEngine(folder);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});
const read = (query: string): Promise<string> =>
  engine.read(query, 'JSONCompactEachRow', { tenant: null, limits: DEFAULT_LIMITS });

describe('migrate', () => {
  it('applies each file once, finishes one that was cut off, and refuses newer tables', async () => {
    const all = readMigrations();
    expect(all.map((one) => one.version)).toEqual(all.map((_, i) => i + 1));
    // Cut off: the first file's statements ran, its version was not noted.
    const first = { ...all[0]!, sql: `${all[0]!.sql}; select throwIf(1)` };
    await expect(migrate(engine, [first])).rejects.toThrow(`Migration ${first.name}`);
    await migrate(engine);
    await migrate(engine);
    expect(await read('select count() from schema_migrations')).toBe(`[${all.length}]\n`);
    await expect(migrate(engine, all.slice(0, -1))).rejects.toThrow(NewerSchemaError);
  });

  it('has a row policy on every table with a tenant', async () => {
    const tables = await read(
      `select distinct table from system.columns where database = 'palimpsest' and name = 'tenant'
       and table in (select name from system.tables where database = 'palimpsest' and engine like '%MergeTree')
       order by table`,
    );
    expect(
      tables
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)[0]),
    ).toEqual([...TENANT_TABLES]);
  });
});

describe('prices in the ledger', () => {
  it('come from the seed, are overridden by an import, and never by the seed again', async () => {
    await seedPrices(engine);
    const at = Date.UTC(2026, 0, 1);
    const before = await loadPriceBook(engine);
    const seeded = before.resolvePrice('openai', 'gpt-4o-mini', at)!;
    expect(seeded.price).toMatchObject({
      input: '0.15',
      cache_read: '0.075',
      cache_write_5m: null,
      output: '0.6',
    });
    const imported: Price = { ...seeded.price, input: '0.2', source: 'import' };
    await storePrices(engine, [imported], [{ provider: 'openai', alias: 'mini', model: 'gpt-4o-mini' }], 5n);
    await seedPrices(engine);
    const after = await loadPriceBook(engine);
    expect(after.resolvePrice('openai', 'mini', at)?.price.input).toBe('0.2');
  });
});

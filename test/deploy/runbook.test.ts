import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { EventLog, NewRecord } from '@palimpsest/log';
import { createLogger, METRICS } from '@palimpsest/observability';
import { describe, expect, it } from 'vitest';
import { startJobWorker } from '../../packages/derivations/src/job-worker.js';
import { appendDeadLetter } from '../../packages/runtime/src/dead-letter.js';
import { finishCommand, ROOT } from '../harness/command-line.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';
import { textOf } from './deployment-files.js';

const runbook = textOf('docs/runbook.md');

/** Texts of the code as they come out: what is joined by `+` is one. */
function sources(): string {
  const folders = ['packages', 'services'].flatMap((parent) =>
    readdirSync(path.join(ROOT, parent)).map((name) => path.join(parent, name, 'src')),
  );
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true }).map((file) =>
        path.join(folder, String(file)),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => textOf(file).replaceAll(/[`'"]\s*\+\s*[`'"]/g, ''))
    .join('\n');
}

/** They are made by the first worker that starts. */
async function makeJobTables(pool: TestDatabase['pool']): Promise<void> {
  const worker = await startJobWorker({
    pool,
    task: 'none',
    concurrency: 1,
    pollMs: 60_000,
    reclaimMs: 60_000,
    graceMs: 0,
    logger: createLogger({ name: 'runbook', level: 'silent' }),
    handle: () => Promise.resolve(),
  });
  await worker.stop();
}

describe('docs/runbook.md', () => {
  it('quotes the code', () => {
    const code = sources();
    const quotes = [...runbook.matchAll(/^> (.+)$/gm)].map(([, text]) => text as string);
    expect(quotes.length).toBeGreaterThan(0);
    const missing = quotes.flatMap((quote) => quote.split('…').filter((part) => !code.includes(part)));
    expect(missing).toEqual([]);
  });

  it('names metrics and variables that exist', () => {
    const metrics = [...runbook.matchAll(/`palimpsest_(\w+)`/g)].map(([, name]) => name as string);
    expect(metrics.filter((name) => !(name in METRICS))).toEqual([]);
    const documented = textOf('docs/configuration.md');
    const variables = [...runbook.matchAll(/PALIMPSEST_\w+/g)].map(([name]) => name);
    expect(variables.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it('names commands that exist', async () => {
    const commands = [...runbook.matchAll(/[`"]palimpsest ([a-z- ]+)[`"]/g)].map(
      ([, args]) => args as string,
    );
    for (const command of new Set(commands)) {
      expect(await finishCommand([...command.split(' '), '--help'])).toContain(
        `Usage: palimpsest ${command}`,
      );
    }
  });

  it('explains each header of a dead letter, and no other', async () => {
    const appended: NewRecord[] = [];
    const log = { append: async (_: string, records: NewRecord[]) => void appended.push(...records) };
    await appendDeadLetter(log as unknown as EventLog, {
      topic: 'chat.messages',
      partition: 0,
      offset: 0n,
      timestamp: 0,
      key: 'key',
      value: null,
      headers: { '…': 'any' },
      consumer: 'truncator',
      errorClass: 'decode',
      error: 'none',
      attempts: 1,
    });
    const explained = [...runbook.matchAll(/`(dl-[^`]+)`/g)].map(([, name]) => name as string);
    const written = [...Object.keys(appended[0]?.headers ?? {}), 'dl-replayed'];
    expect([...new Set(explained)].toSorted()).toEqual(written.toSorted());
  });

  it('has SQL that Postgres takes', async () => {
    const database = await freshDatabase({ migrated: true });
    const { pool } = database;
    await makeJobTables(pool);
    try {
      const blocks = [...runbook.matchAll(/^ *```sql\n([\s\S]*?)^ *```/gm)].map(([, sql]) => sql as string);
      for (const sql of blocks) await pool.query(sql);
    } finally {
      await database.drop();
    }
  });
});

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { Session } from 'chdb';
import { createChdbConnection } from 'chdb/connection';
import { type Engine, insertSettings, type QueryLimits, readSettings } from './engine.js';
import { engineConfig, scopeMark } from './row-policies.js';

/** The in-process engine binds one database name; a server may choose another. */
const EMBEDDED_DATABASE = 'palimpsest';

/**
 * Opens ClickHouse inside this process on a data folder, which is made if missing. One process at a time may hold a
 * folder, and a process may hold one folder.
 */
export async function openEmbeddedEngine(folder: string): Promise<Engine> {
  mkdirSync(folder, { recursive: true });
  const configFile = path.join(path.resolve(folder), 'palimpsest-engine.xml');
  const secret = randomBytes(32).toString('hex');
  const config = engineConfig({ path: configFile, database: EMBEDDED_DATABASE, secret });
  writeFileSync(configFile, config, { mode: 0o600 });
  // Users and row policies are read once, by the first connection; this one holds them for the engine's life.
  const anchor = openSession(folder, configFile);
  let writer: ClickHouseClient;
  try {
    writer = await openWriter(folder, scopeMark(null, secret));
  } catch (cause) {
    anchor.close();
    throw cause;
  }

  // SET is sent with each statement and stays on the connection, so two writes at once could swap their tokens.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  const reads = new Set<Promise<unknown>>();

  return {
    command: (statement) =>
      inTurn(async () => {
        // Else an "insert … select" of ours would be taken for the last block sent again.
        await writer.command({ query: statement, clickhouse_settings: { insert_deduplication_token: '' } });
      }),
    insert: (table, columns, rows, token) =>
      inTurn(async () => {
        await writer.insert({
          table,
          columns: columns as [string, ...string[]],
          values: rows,
          format: 'JSONCompactEachRow',
          clickhouse_settings: insertSettings(token),
        });
      }),
    read(query, format, scope) {
      const answer = readOnce(folder, query, format, {
        limits: scope.limits,
        mark: scopeMark(scope.tenant, secret),
        parameters: scope.parameters ?? {},
      });
      reads.add(answer);
      const forget = (): void => void reads.delete(answer);
      answer.then(forget, forget);
      return answer;
    },
    async close() {
      // Closing a connection with work on it would stop the engine for the whole process.
      await Promise.allSettled([last, ...reads]);
      await writer.close();
      anchor.close();
    },
  };
}

function openSession(folder: string, configFile: string): Session {
  try {
    return new Session(folder, { connectionArgs: [`--config-file=${configFile}`] });
  } catch (cause) {
    throw new Error(
      `The ledger in "${folder}" could not be opened in process. Only one process may hold a folder, and a process ` +
        'only one folder: stop the other one, or give this one a folder of its own.',
      { cause },
    );
  }
}

/** Its statements read rows of all tenants, as rollups and corrections of ours need. */
async function openWriter(folder: string, mark: string): Promise<ClickHouseClient> {
  const writer = connect(folder);
  for (const query of [
    `create database if not exists ${EMBEDDED_DATABASE}`,
    `use ${EMBEDDED_DATABASE}`,
    // The engine's own "default" shows every file of the machine as a table, and `readonly` forgets to stop that for
    // one opened before. New connections need a database of that name.
    'drop database if exists default',
    'create database default engine = Memory',
  ]) {
    await writer.command({ query });
  }
  await writer.command({ query: 'select 1', clickhouse_settings: { log_comment: mark } });
  return writer;
}

/**
 * One query on a connection of its own (2 ms). A shared one would carry settings over, and puts what a failed query
 * had already written in front of the next answer.
 */
async function readOnce(
  folder: string,
  query: string,
  format: Parameters<Engine['read']>[1],
  scope: { limits: QueryLimits; mark: string; parameters: Readonly<Record<string, string>> },
): Promise<string> {
  const reader = connect(folder);
  try {
    await reader.command({ query: `use ${EMBEDDED_DATABASE}` });
    await reader.command({
      query: 'select 1',
      clickhouse_settings: { ...readSettings(scope.limits), log_comment: scope.mark },
    });
    // From here on the connection can neither write nor change a setting, its scope and limits included.
    await reader.command({ query: 'select 1', clickhouse_settings: { readonly: '1' } });
    const result = await reader.query({ query, format, query_params: { ...scope.parameters } });
    return await result.text();
  } finally {
    await reader.close();
  }
}

function connect(folder: string): ClickHouseClient {
  // The connection's types come from another copy of the client's type declarations.
  const connection = createChdbConnection({ path: folder }) as unknown;
  return createClient({ connection } as Parameters<typeof createClient>[0]);
}

import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { type Engine, insertSettings, readSettings } from './engine.js';

export interface ServerOptions {
  url: string;
  username: string;
  password: string;
  database: string;
}

/** Connects to a ClickHouse server (24.8 or later) and makes the database if it is missing. */
export async function openServerEngine(options: ServerOptions): Promise<Engine> {
  const { url, username, password, database } = options;
  const client = createClient({ url, username, password, database, application: 'palimpsest' });
  try {
    await createDatabase(options);
  } catch (cause) {
    await client.close();
    throw new Error(
      `ClickHouse at ${withoutSecrets(url)} could not be used (database "${database}", user "${username}"). ` +
        'Check the address, the user, and that it may create tables there.',
      { cause },
    );
  }
  return {
    async command(statement) {
      await client.command({ query: statement, clickhouse_settings: { wait_end_of_query: 1 } });
    },
    async insert(table, columns, rows, token) {
      await client.insert({
        table,
        columns: columns as [string, ...string[]],
        values: rows,
        format: 'JSONCompactEachRow',
        clickhouse_settings: insertSettings(token),
      });
    },
    async read(query, format, scope) {
      if (scope.tenant !== null) {
        throw new Error(
          'On a ClickHouse server, one tenant’s rows are read with a user of its own and a row policy ' +
            '("create row policy … using tenant = …"); this connection reads with the admin scope only.',
        );
      }
      const result = await client.query({
        query,
        format,
        query_params: { ...scope.parameters },
        clickhouse_settings: { ...readSettings(scope.limits), readonly: '1' },
      });
      return await result.text();
    },
    close: () => client.close(),
  };
}

async function createDatabase(options: ServerOptions): Promise<void> {
  const { url, username, password, database } = options;
  const client: ClickHouseClient = createClient({ url, username, password });
  try {
    await client.command({ query: `create database if not exists \`${database.replaceAll('`', '``')}\`` });
  } finally {
    await client.close();
  }
}

function withoutSecrets(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

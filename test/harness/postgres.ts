import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import { inject } from 'vitest';
import { TEMPLATE } from './global-setup.js';

export interface TestDatabase {
  pool: Pool;
  url: string;
  /** Ends the pool and drops the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A database of its own on the run's server; `migrated` = with all our migrations applied. */
export async function freshDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const admin = await askBroker(options.migrated === true ? '/migrated' : '/server');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = options.migrated === true ? TEMPLATE : 'template1';
  await onAdmin(admin, `create database ${name} template ${template}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const pool = new Pool({ connectionString: url.href, max: 10 });
  // Idle connections of the pool may be cut by a test on purpose.
  pool.on('error', () => {});
  const drop = async (): Promise<void> => {
    if (!pool.ended) await pool.end();
    await onAdmin(admin, `drop database if exists ${name} with (force)`);
  };
  return { pool, url: url.href, drop };
}

async function askBroker(path: string): Promise<string> {
  const response = await fetch(`${inject('postgresBroker')}${path}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`The test server could not be had: ${text}`);
  return text;
}

async function onAdmin(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

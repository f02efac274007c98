import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StepEvent, TaskEvent } from '@palimpsest/events';
import { type Ledger, openLedger, type QueryOptions, stepRow, taskRow } from '../src/index.js';
import type { Engine } from '../src/engine.js';

export interface TemporaryLedger {
  ledger: Ledger;
  folder: string;
  /** Inserts steps as one block; without a token, as one never seen before. */
  insertSteps(events: readonly StepEvent[], token?: string): Promise<void>;
  /** Inserts task events as one block, at ever higher offsets. */
  insertTasks(events: readonly TaskEvent[]): Promise<void>;
  /** What stands behind the guard. */
  engine(): Engine;
  /** Rows of the answer as objects; decimals are strings. */
  rows(sql: string, options?: Partial<QueryOptions>): Promise<Record<string, unknown>[]>;
  /** Closes the ledger and opens it again on the same folder. */
  reopen(): Promise<void>;
  drop(): Promise<void>;
}

/** A ledger in process on a folder of its own. One at a time: a process holds one folder. */
export async function temporaryLedger(): Promise<TemporaryLedger> {
  const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-ledger-'));
  let ledger = await openLedger({ kind: 'embedded', path: folder });
  let offset = 0n;
  const engine = (): Engine => (ledger as unknown as { engine: Engine }).engine;
  return {
    engine,
    async insertSteps(events, token = randomUUID()) {
      const rows = events.map((event) => stepRow(event, ledger.prices));
      await ledger.insertBlock({ kind: 'steps', token, rows });
    },
    async insertTasks(events) {
      const rows = events.map((event) => taskRow(event, offset++));
      await ledger.insertBlock({ kind: 'tasks', token: randomUUID(), rows });
    },
    get ledger() {
      return ledger;
    },
    folder,
    async rows(sql, options = {}) {
      const text = await ledger.query(sql, { readonly: true, ...options, format: 'JSONEachRow' });
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async reopen() {
      await ledger.close();
      ledger = await openLedger({ kind: 'embedded', path: folder });
    },
    async drop() {
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { randomUUID } from 'node:crypto';
import {
  type AuditDifference,
  costDifferences,
  stepDifferences,
  taskDifferences,
} from './audit-differences.js';
import type { Engine } from './engine.js';
import type { LedgerBlock } from './ledger.js';
import { literal, readAll } from './read-all.js';
import { STEP_COLUMNS } from './step-row.js';
import { TASK_COLUMNS } from './task-row.js';

export type { AuditDifference } from './audit-differences.js';

export interface AuditReport {
  /** What the log says, one per answer, of events the sink has passed. */
  log: AuditSums;
  /** What the ledger's views sum up. */
  ledger: AuditSums;
  /** Empty = the ledger is right. */
  differences: AuditDifference[];
}

interface AuditSums {
  answers: string;
  input_tokens: string;
  output_tokens: string;
  task_events: string;
}

/**
 * Holds the ledger against the log. The caller adds the rows of every event of the log, by the same functions the sink
 * uses: `settled` = the sink's checkpoint, read before, has passed it; later ones the ledger may have or not.
 */
export interface LedgerAudit {
  add(block: Pick<LedgerBlock, 'kind' | 'rows'>, settled: boolean): Promise<void>;
  /** Compares, and forgets what was added. */
  finish(): Promise<AuditReport>;
  /** Forgets what was added. */
  cancel(): Promise<void>;
}

export async function startAudit(engine: Engine): Promise<LedgerAudit> {
  const audit = randomUUID();
  let blocks = 0;
  const cancel = async (): Promise<void> => {
    for (const table of ['audit_step_rows', 'audit_task_rows']) {
      await engine.command(`alter table ${table} drop partition '${audit}'`);
    }
  };
  return {
    async add({ kind, rows }, settled) {
      if (rows.length === 0) return;
      const table = kind === 'steps' ? 'audit_step_rows' : 'audit_task_rows';
      const columns: readonly string[] = kind === 'steps' ? STEP_COLUMNS : TASK_COLUMNS;
      const cells = rows.map((row) => [audit, settled, ...row.cells]);
      blocks += 1;
      await engine.insert(table, ['audit', 'settled', ...columns], cells, `${audit}/${blocks}`);
    },
    async finish() {
      try {
        const differences = [
          ...(await stepDifferences(engine, audit)),
          ...(await costDifferences(engine)),
          ...(await taskDifferences(engine, audit)),
        ];
        return { ...(await sums(engine, audit)), differences };
      } finally {
        await cancel();
      }
    },
    cancel,
  };
}

const INPUT = 'input_uncached + cache_read + cache_write_5m + cache_write_1h';

async function sums(engine: Engine, audit: string): Promise<Pick<AuditReport, 'log' | 'ledger'>> {
  const id = literal(audit);
  const [log] = await readAll<AuditSums>(
    engine,
    `select toString(count()) as answers, toString(sum(w.1)) as input_tokens, toString(sum(w.2)) as output_tokens,
            toString((select uniqExact(tenant, task, kind) from audit_task_rows where audit = ${id} and settled)) as task_events
       from (select argMax((${INPUT}, output), version) as w from audit_step_rows where audit = ${id} and settled
              group by tenant, conversation, answer_key)`,
  );
  const [ledger] = await readAll<AuditSums>(
    engine,
    `select toString(count()) as answers, toString(sum(${INPUT})) as input_tokens,
            toString(sum(s.output)) as output_tokens,
            toString((select count() from task_rows final)) as task_events
       from steps as s`,
  );
  return { log: log as AuditSums, ledger: ledger as AuditSums };
}

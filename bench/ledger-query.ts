import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Ledger, openLedger } from '@palimpsest/ledger';
import { generateSteps } from './ledger-steps.js';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

/** Twenty steps to a task, as agents have them. */
const STEPS_PER_TASK = 20;
const TOUCHED = 100;

/**
 * Cost per completed task by tenant, agent, strategy, model and day: from every step (floor) against the rollup, with a
 * hundred tasks touched since its last refresh, a minute's work of a fleet that makes ten million steps in three months. The rows are generated inside ClickHouse; both answers must be equal.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const steps = options.quick ? 200_000 : 10_000_000;
  const repetitions = options.quick ? 1 : 5;
  const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-bench-'));
  const ledger = await openLedger({ kind: 'embedded', path: folder });
  try {
    await generateSteps(ledger, { from: 0, to: steps, perTask: STEPS_PER_TASK });
    const begin = performance.now();
    const { units } = await ledger.refreshRollup();
    const refreshSeconds = (performance.now() - begin) / 1000;
    process.stderr.write(
      `ledger-query: ${steps} steps, ${units} units rolled up in ${rounded(refreshSeconds)} s\n`,
    );
    await settleWatermark(ledger);
    await generateSteps(ledger, {
      from: steps,
      to: steps + TOUCHED * STEPS_PER_TASK,
      perTask: STEPS_PER_TASK,
    });

    const floors: number[] = [];
    const values: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const raw = await timed(() => ledger.query(query('cost_per_completed_task_raw'), LIMITS));
      const rolled = await timed(() => ledger.query(query('cost_per_completed_task'), LIMITS));
      if (raw.answer !== rolled.answer) throw new Error('The rollup does not give the answer of the steps.');
      floors.push(raw.ms);
      values.push(rolled.ms);
      process.stderr.write(
        `ledger-query ${repetition + 1}/${repetitions}: raw ${rounded(raw.ms)} ms, rollup ${rounded(rolled.ms)} ms\n`,
      );
    }
    const floor = 1000 / median(floors);
    const value = 1000 / median(values);
    return {
      name: 'ledger-query',
      floor: rounded(floor),
      value: rounded(value),
      ratio: rounded(value / floor),
      unit: 'answers/s',
      n: repetitions,
      machine: thisMachine(),
      details: {
        steps,
        units,
        touched: TOUCHED,
        refreshSeconds: rounded(refreshSeconds),
        rawMs: floors.map(rounded),
        rollupMs: values.map(rounded),
      },
    };
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const LIMITS = {
  readonly: true,
  format: 'JSONCompactEachRow',
  limits: { max_execution_time: 600, max_memory_usage: 12_000_000_000, max_result_rows: 1_000_000 },
} as const;

function query(view: string): string {
  return `select tenant, agent, strategy, model, day, tasks, completed, steps, unpriced_steps, spend, completed_spend
            from ${view} order by tenant, agent, strategy, model, day`;
}

async function timed(ask: () => Promise<string>): Promise<{ answer: string; ms: number }> {
  const begin = performance.now();
  const answer = await ask();
  return { answer, ms: performance.now() - begin };
}

/** Rows younger than a minute are refreshed again: waits for that minute, as a ledger in use would be behind it. */
async function settleWatermark(ledger: Ledger): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 61_000));
  await ledger.refreshRollup();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

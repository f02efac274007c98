import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@clickhouse/client';
import type { StepEvent } from '@palimpsest/events';
import { openLedger, stepRow } from '@palimpsest/ledger';
import { createChdbConnection } from 'chdb/connection';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

/** Records of a batch of metrics-sink. */
const BLOCK = 2000;
/** Handled side by side, as metrics-sink does. */
const PARTITIONS = 3;

/**
 * What metrics-sink does with decoded steps (usage made disjoint, priced, one block per insert under its token, rollup
 * marks) against the floor: the finished rows of the same steps in the same blocks into a MergeTree of the same columns.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const blocks = options.quick ? 5 : 50;
  const repetitions = options.quick ? 1 : 5;
  const folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-bench-'));
  const ledger = await openLedger({ kind: 'embedded', path: folder });
  const connection = createChdbConnection({ path: folder }) as unknown;
  const client = createClient({ connection } as Parameters<typeof createClient>[0]);
  try {
    await client.command({ query: 'use palimpsest' });
    const floors: number[] = [];
    const values: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const batches = Array.from({ length: blocks }, (_, block) => steps(repetition * blocks + block));
      const table = `bare_${repetition}`;
      await client.command({
        query: `create table ${table} as step_rows engine = MergeTree order by (tenant, conversation, answer_key)
                settings fsync_after_insert = 1, fsync_part_directory = 1`,
      });
      const finished = batches.map((batch) => batch.map((step) => stepRow(step, ledger.prices).cells));
      const floor = async (): Promise<void> => {
        for (const rows of finished)
          await client.insert({ table, values: rows, format: 'JSONCompactEachRow' });
      };
      const value = async (): Promise<void> => {
        const left = [...batches.entries()];
        const partition = async (): Promise<void> => {
          for (let next = left.shift(); next !== undefined; next = left.shift()) {
            const rows = next[1].map((step) => stepRow(step, ledger.prices));
            await ledger.insertBlock({ kind: 'steps', token: `bench/${repetition}/${next[0]}`, rows });
          }
        };
        await Promise.all(Array.from({ length: PARTITIONS }, partition));
      };
      // Interleaved, and each side first in turn, so that a noisy minute hits both.
      for (const side of repetition % 2 === 0 ? ['floor', 'value'] : ['value', 'floor']) {
        const begin = performance.now();
        await (side === 'floor' ? floor() : value());
        const rate = (blocks * BLOCK * 1000) / (performance.now() - begin);
        (side === 'floor' ? floors : values).push(rate);
      }
      process.stderr.write(
        `ledger ${repetition + 1}/${repetitions}: bare ${Math.round(floors.at(-1) ?? 0)}, ledger ${Math.round(values.at(-1) ?? 0)} rows/s\n`,
      );
    }
    const floor = median(floors);
    const value = median(values);
    return {
      name: 'ledger',
      floor: rounded(floor),
      value: rounded(value),
      ratio: rounded(value / floor),
      unit: 'rows/s',
      n: repetitions,
      machine: thisMachine(),
      details: {
        rows: blocks * BLOCK,
        block: BLOCK,
        floors: floors.map(Math.round),
        values: values.map(Math.round),
      },
    };
  } finally {
    await client.close();
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function steps(block: number): StepEvent[] {
  return Array.from({ length: BLOCK }, (_, i): StepEvent => {
    const n = block * BLOCK + i;
    return {
      type: 'step',
      event_id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      tenant: `tenant-${n % 4}`,
      conversation_id: `conversation-${Math.floor(n / 40)}`,
      client_id: null,
      seq: null,
      occurred_at: Date.UTC(2026, 0, 1) + n * 100,
      agent: 'support',
      task_id: `task-${Math.floor(n / 20)}`,
      step_index: n % 20,
      run_id: `run-${Math.floor(n / 20)}`,
      provider: 'openai',
      model: 'gpt-4o',
      usage: {
        input: 12_000 + (n % 999),
        output: n % 700,
        cache_read: 9000,
        cache_write_5m: null,
        cache_write_1h: null,
        reasoning: null,
      },
      usage_semantics: null,
      answer_id: null,
      request_id: `request-${n}`,
      final: true,
      purpose: 'answer',
      strategy: 'default@1',
      generation: 1,
      model_resolved: null,
      tool_name: null,
      tool_result_bytes: null,
      state_bytes: null,
      latency_ms: 900,
      ttft_ms: 200,
      context_tokens: 12_000,
      stable_prefix_tokens: 9000,
    };
  });
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommandLine, finishCommand, runCommand } from '../harness/command-line.js';

let folder: string;
let data: string[];
beforeAll(async () => {
  buildCommandLine();
  folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-ledger-cli-'));
  data = ['--data', path.join(folder, 'data')];
  const events = path.join(folder, 'events.jsonl');
  const lines = ['known', 'gpt-4o'].map((model, i) => ({
    type: 'step',
    event_id: `00000000-0000-4000-8000-00000000000${i}`,
    conversation_id: 'c',
    task_id: 'task',
    step_index: i,
    provider: 'openai',
    model,
    occurred_at: '2026-01-15T12:00:00Z',
    usage: { input: 1_000_000, output: 0 },
  }));
  writeFileSync(events, lines.map((line) => JSON.stringify(line)).join('\n'));
  await finishCommand(['import', 'events', events, ...data]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cost = async (): Promise<unknown> =>
  JSON.parse(await finishCommand(['sql', 'select model, cost from steps order by model', '--json', ...data]));

describe('palimpsest ledger', () => {
  it('imports prices, prices the past when told to, and audits itself', async () => {
    const file = path.join(folder, 'prices.json');
    writeFileSync(
      file,
      JSON.stringify({
        known: { litellm_provider: 'openai', input_cost_per_token: 2e-6, output_cost_per_token: 1e-6 },
      }),
    );
    const imported = await finishCommand([
      'ledger',
      'prices',
      'import',
      file,
      '--from',
      '2026-01-01',
      ...data,
    ]);
    expect(imported).toContain('1 price lines stored, 0 as they were');
    expect(await cost()).toEqual([
      { model: 'gpt-4o', cost: '2.5' },
      { model: 'known', cost: null },
    ]);
    const repriced = await finishCommand([
      'ledger',
      'reprice',
      '--unpriced',
      '--note',
      'late',
      '--json',
      ...data,
    ]);
    expect(JSON.parse(repriced)).toMatchObject({ looked: 1, changed: 1, unpriced: 0 });
    expect(await cost()).toEqual([
      { model: 'gpt-4o', cost: '2.5' },
      { model: 'known', cost: '2' },
    ]);
    const audit = JSON.parse(await finishCommand(['ledger', 'audit', '--json', ...data]));
    expect(audit).toMatchObject({
      pending: 0,
      refused: 0,
      differences: [],
      log: { answers: '2' },
      ledger: { answers: '2' },
    });
  });

  it.each([
    ['no answers named', ['ledger', 'reprice'], 2],
    ['a day that is none', ['ledger', 'reprice', '--all', '--from', 'yesterday'], 2],
    ['a file that is not there', ['ledger', 'prices', 'import', 'missing.json'], 1],
  ])('refuses %s', async (_, args, code) => {
    const command = runCommand([...args, ...data]);
    expect((await command.ended).code).toBe(code);
    expect(command.stderr()).not.toBe('');
  });
});

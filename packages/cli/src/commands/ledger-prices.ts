import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readLitellmPrices, type RepriceRequest } from '@palimpsest/ledger';
import type { Environment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';
import { withLedger } from './ledger-open.js';

/** `palimpsest ledger prices import`. */
export async function importPricesCommand(
  file: string,
  asked: { from?: string; free?: boolean },
  environment: Environment,
  output: Output,
): Promise<void> {
  const today = Date.now() - (Date.now() % 86_400_000);
  const validFrom = asked.from === undefined ? today : dayOf('--from', asked.from);
  const { prices, left } = readLitellmPrices(await readJson(file), {
    validFrom,
    source: path.basename(file),
    free: asked.free === true,
  });
  const { stored, unchanged } = await withLedger(environment, (ledger) => ledger.importPrices(prices));
  output.line(`${stored} price lines stored, ${unchanged} as they were, ${left.length} models left out.`);
  const reasons = new Map<string, number>();
  for (const { reason } of left) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, count] of [...reasons].toSorted((a, b) => b[1] - a[1]).slice(0, 10)) {
    output.line(`  ${count} × ${reason}`);
  }
  if (stored > 0)
    output.line('Costs of the past stay as they are: "palimpsest ledger reprice" changes them.');
  output.value({ stored, unchanged, left });
}

export interface RepriceOptions {
  tenant?: string;
  provider?: string;
  model?: string;
  from?: string;
  until?: string;
  unpriced?: boolean;
  all?: boolean;
  dryRun?: boolean;
  note?: string;
}

/** `palimpsest ledger reprice`. */
export async function repriceCommand(
  asked: RepriceOptions,
  environment: Environment,
  output: Output,
): Promise<void> {
  const { tenant, provider, model, from, until, note } = asked;
  const request: RepriceRequest = {
    ...(tenant === undefined ? {} : { tenant }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(from === undefined ? {} : { from: dayOf('--from', from) }),
    ...(until === undefined ? {} : { until: dayOf('--until', until) }),
    ...(asked.unpriced === true ? { unpricedOnly: true } : {}),
  };
  if (Object.keys(request).length === 0 && asked.all !== true) {
    throw new UsageError('Say which answers (--unpriced, --model …), or --all.');
  }
  const result = await withLedger(environment, (ledger) =>
    ledger.reprice({ ...request, dryRun: asked.dryRun === true, ...(note === undefined ? {} : { note }) }),
  );
  const would = asked.dryRun === true ? 'would be' : 'are';
  output.line(`${result.changed} of ${result.looked} answers ${would} priced anew.`);
  if (result.unpriced > 0)
    output.line(`${result.unpriced} have no known price: sums over them say "at least".`);
  if (result.changed > 0 && asked.dryRun !== true) {
    output.line(`The trace: select * from repricings where repricing = '${result.repricing}'`);
  }
  output.value(result);
}

function dayOf(option: string, text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`${option}: "${text}" is no day; write it as 2026-01-31.`);
  return at;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (cause) {
    throw new CommandError(`${file} cannot be read as JSON: ${(cause as Error).message}`, { cause });
  }
}

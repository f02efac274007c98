import type { StepEvent } from '@palimpsest/events';
import { answerKey, stepVersion } from './answer-key.js';
import { assertCount, assertMoment, type Cell, momentCell } from './cells.js';
import { toDecimal } from './money.js';
import { normalizeUsage, type UsageFlag } from './normalize-usage.js';
import { costOf, type PriceBook } from './price-book.js';
import { providerLabel } from './provider-semantics.js';

/** A step as the ledger keeps it; `cells` lie in the order of `STEP_COLUMNS`. */
export interface StepRow {
  cells: Cell[];
  flags: readonly UsageFlag[];
  /** True: no price was known, `cost` is NULL. */
  unpriced: boolean;
  /** For metrics: the billing name of a listed provider, else `other`. */
  provider: string;
  /** Dollars with 12 places, or null. */
  cost: string | null;
}

export const STEP_COLUMNS = [
  'tenant',
  'conversation',
  'answer_key',
  'version',
  'event_id',
  'task',
  'run',
  'agent',
  'strategy',
  'generation',
  'step_index',
  'purpose',
  'final',
  'provider',
  'model',
  'model_resolved',
  'tool_name',
  'tool_result_bytes',
  'state_bytes',
  'reported_input',
  'reported_output',
  'input_uncached',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'reasoning',
  'latency_ms',
  'ttft_ms',
  'context_tokens',
  'stable_prefix_tokens',
  'usage_semantics',
  'usage_flag',
  'price_id',
  'cost',
  'occurred_at',
] as const;

/**
 * A step event as a row: usage made disjoint, priced by the model that answered (where it says so) at the time it
 * happened. Pure. Throws InvalidUsageError or InvalidRowError when a number of the event cannot be kept; nothing of
 * such an event may reach the ledger.
 */
export function stepRow(step: StepEvent, prices: PriceBook): StepRow {
  assertMoment('occurred_at', step.occurred_at);
  assertCount('step_index', step.step_index);
  assertGeneration(step.generation);
  for (const field of OPTIONAL_COUNTS) {
    if (step[field] !== null) assertCount(field, step[field]);
  }
  const usage = normalizeUsage(step.provider, step.usage, step.usage_semantics);
  const inputTokens = usage.input_uncached + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const model = step.model_resolved || step.model;
  const resolved = prices.resolvePrice(step.provider, model, step.occurred_at, inputTokens);
  const amount = resolved === null ? null : costOf(usage, resolved);
  const cost = amount === null ? null : toDecimal(amount);

  const values: Record<(typeof STEP_COLUMNS)[number], Cell> = {
    tenant: step.tenant,
    conversation: step.conversation_id,
    answer_key: answerKey(step),
    version: stepVersion(step, usage).toString(),
    event_id: step.event_id,
    task: step.task_id,
    run: step.run_id ?? '',
    agent: step.agent ?? '',
    strategy: step.strategy ?? '',
    generation: step.generation,
    step_index: step.step_index,
    purpose: step.purpose,
    final: step.final,
    provider: step.provider,
    model: step.model,
    model_resolved: step.model_resolved ?? '',
    tool_name: step.tool_name ?? '',
    tool_result_bytes: step.tool_result_bytes,
    state_bytes: step.state_bytes,
    reported_input: step.usage.input,
    reported_output: step.usage.output,
    input_uncached: usage.input_uncached,
    cache_read: usage.cache_read,
    cache_write_5m: usage.cache_write_5m,
    cache_write_1h: usage.cache_write_1h,
    output: usage.output,
    reasoning: usage.reasoning,
    latency_ms: step.latency_ms,
    ttft_ms: step.ttft_ms,
    context_tokens: step.context_tokens,
    stable_prefix_tokens: step.stable_prefix_tokens,
    usage_semantics: usage.semantics,
    usage_flag: usage.flags.join(','),
    price_id: resolved?.price_id ?? '',
    cost,
    occurred_at: momentCell(step.occurred_at),
  };
  return {
    // In the order written above, which is that of STEP_COLUMNS: looking each up by name takes as long as all the rest.
    cells: Object.values(values),
    flags: usage.flags,
    unpriced: cost === null,
    provider: providerLabel(step.provider),
    cost,
  };
}

const OPTIONAL_COUNTS = [
  'tool_result_bytes',
  'state_bytes',
  'latency_ms',
  'ttft_ms',
  'context_tokens',
  'stable_prefix_tokens',
] as const;

/** Generations are Postgres integers. */
function assertGeneration(generation: number | null): void {
  if (generation === null) return;
  assertCount('generation', generation, 2_147_483_647);
}

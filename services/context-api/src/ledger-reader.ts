import type { Ledger } from '@palimpsest/ledger';
import type { CostGroup, LedgerReader } from './options.js';

/** Steps of one task that an answer lists; its sums are over all of them. */
const MAX_STEPS = 1_000;

/**
 * What the API tells of the ledger: sums in USD as decimal text, never rounded; `at_least` where a price is unknown.
 * Each query is walled to the tenant by the ledger, besides naming the task.
 */
export function createLedgerReader(ledger: Pick<Ledger, 'query'>): LedgerReader {
  async function rows(tenant: string, sql: string): Promise<Record<string, unknown>[]> {
    const answer = await ledger.query(sql, { readonly: true, tenant, format: 'JSON' });
    return (JSON.parse(answer) as { data: Record<string, unknown>[] }).data;
  }

  return {
    async task(tenant, taskId) {
      // As hex, an id cannot be anything but a value, whatever it holds.
      const id = `unhex('${Buffer.from(taskId).toString('hex')}')`;
      const [task] = await rows(
        tenant,
        `select task as task_id, agent, strategy, outcome, day, steps, maintenance_steps, unpriced_steps,
                mixed_strategies, cost, unpriced_steps > 0 as at_least
           from task_cost where task = ${id}`,
      );
      if (task === undefined) return null;
      const [tokens] = await rows(
        tenant,
        `select sum(s.input_uncached) as input_uncached, sum(s.cache_read) as cache_read,
                sum(s.cache_write_5m) as cache_write_5m, sum(s.cache_write_1h) as cache_write_1h, sum(s.output) as output,
                max(s.input_uncached + s.cache_read + s.cache_write_5m + s.cache_write_1h) as peak_input,
                countIf(s.usage_flag like '_%') as flagged_steps
           from steps as s where s.task = ${id}`,
      );
      const steps = await rows(
        tenant,
        `select step_index, run, purpose, provider, model, strategy, input_uncached, cache_read, cache_write_5m,
                cache_write_1h, output, reasoning, tool_name, latency_ms, usage_flag, cost, occurred_at
           from steps where task = ${id} order by step_index, occurred_at, answer_key limit ${MAX_STEPS}`,
      );
      const { peak_input, flagged_steps, ...used } = tokens as Record<string, unknown>;
      return {
        ...withBooleans(task),
        flagged_steps,
        tokens: used,
        peak_input_tokens: peak_input,
        step_list: steps,
      };
    },

    async sql(tenant, query) {
      const answer = await ledger.query(query, { readonly: true, tenant, format: 'JSON' });
      const { meta, data } = JSON.parse(answer) as { meta: object[]; data: object[] };
      return { meta, data };
    },

    text: (tenant, query, options) => ledger.query(query, { readonly: true, tenant, ...options }),

    async costs(tenant, groupBy) {
      const columns = groupBy.map((group) => COLUMNS[group]).join(', ');
      const costs = await rows(
        tenant,
        `select ${columns}, sum(tasks) as task_count, sum(completed) as completed_count, sum(steps) as step_count,
                sum(unpriced_steps) as unpriced, sum(spend) as total_spend,
                if(completed_count = 0, null, total_spend / greatest(completed_count, 1)) as per_completed,
                unpriced > 0 as at_least
           from cost_per_completed_task group by ${columns} order by ${columns}`,
      );
      return costs.map((row) => {
        const { task_count, completed_count, step_count, unpriced, total_spend, per_completed, ...rest } =
          row;
        return {
          ...withBooleans(rest),
          tasks: task_count,
          completed: completed_count,
          steps: step_count,
          unpriced_steps: unpriced,
          spend: total_spend,
          spend_per_completed: per_completed,
        };
      });
    },
  };
}

/** The only texts that a query is put together from. */
const COLUMNS: Record<CostGroup, string> = { agent: 'agent', strategy: 'strategy', day: 'day' };

function withBooleans(row: Record<string, unknown>): Record<string, unknown> {
  return { ...row, at_least: Boolean(row['at_least']) };
}

import type { Ledger } from '@palimpsest/ledger';

export interface GeneratedSteps {
  /** Numbers of the steps, from inclusive, to exclusive. */
  from: number;
  to: number;
  perTask: number;
}

const CHUNK = 1_000_000;

/**
 * Steps and their tasks, made by ClickHouse itself in an embedded ledger: 4 tenants, 3 agents,
 * 2 strategies, 3 models, 90 days; one step in 50 has a partial report beside it, one in 100 no price, one task in 20
 * a corrected outcome.
 */
export async function generateSteps(ledger: Ledger, { from, to, perTask }: GeneratedSteps): Promise<void> {
  await withConnection(ledger, async (command) => {
    for (let start = from; start < to; start += CHUNK) {
      const count = Math.min(CHUNK, to - start);
      await command(`insert into step_rows (${COLUMNS}) ${stepsOf(start, count, perTask)}`);
      await command(
        `insert into step_rows (${COLUMNS})
         select * replace (version - 1000000000000 as version, false as final, 0 as output, concat(event_id, 'p') as event_id)
           from (${stepsOf(start, count, perTask)}) where step_index % 50 = 7`,
      );
    }
    const tasks = `numbers(${Math.floor(from / perTask)}, ${Math.ceil((to - from) / perTask)})`;
    const finished = (correction: number): string =>
      `insert into task_rows select concat('tenant-', toString(number % 4)), concat('t', toString(number)), 'finished',
              toUInt128(number * 10 + ${correction}), concat('f', toString(number), '-${correction}'), '',
              ['support', 'coder', 'sales'][number % 3 + 1],
              ['completed', 'completed', 'failed', 'abandoned', 'handed_over'][(cityHash64(number) + ${correction}) % 5 + 1],
              ${momentOf(`number * ${perTask} + ${perTask}`)}
         from ${tasks} where ${correction} = 0 or number % 20 = 3`;
    await command(finished(0));
    await command(finished(1));
  });
}

const COLUMNS = `tenant, conversation, answer_key, version, event_id, task, agent, strategy, step_index, purpose, final,
  provider, model, input_uncached, cache_read, output, context_tokens, price_id, cost, occurred_at`;

function stepsOf(start: number, count: number, perTask: number): string {
  return `select concat('tenant-', toString(intDiv(number, ${perTask}) % 4)) as tenant,
    concat('c', toString(intDiv(number, ${perTask} * 3))) as conversation, concat('request:', toString(number)) as answer_key,
    toUInt256(number + 2000000000000) as version, toString(number) as event_id,
    concat('t', toString(intDiv(number, ${perTask}))) as task, ['support', 'coder', 'sales'][intDiv(number, ${perTask}) % 3 + 1] as agent,
    ['default@1', 'lean@2'][intDiv(number, ${perTask}) % 2 + 1] as strategy, number % ${perTask} as step_index,
    if(number % 10 = 9, 'summary', 'answer') as purpose, true as final, 'openai' as provider,
    ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1'][cityHash64(intDiv(number, ${perTask})) % 3 + 1] as model,
    cityHash64(number) % 20000 as input_uncached, cityHash64(number, 1) % 80000 as cache_read,
    cityHash64(number, 2) % 2000 as output, input_uncached + cache_read as context_tokens,
    'openai/gpt-4o@2024-10-02' as price_id,
    if(number % 100 = 42, null, toDecimal128(input_uncached * 25 + output * 100, 12) / 10000000) as cost,
    ${momentOf('number')} as occurred_at
   from numbers(${start}, ${count})`;
}

function momentOf(number: string): string {
  return `toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond((${number}) % 7776000)`;
}

/** Statements past the ledger's port, on its own connection: on another one its row policies would show no row. */
async function withConnection(ledger: Ledger, work: (command: Command) => Promise<void>): Promise<void> {
  const { engine } = ledger as unknown as { engine: { command: Command } };
  await work((statement) => engine.command(statement));
}

type Command = (statement: string) => Promise<void>;

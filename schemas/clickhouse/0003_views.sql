create or replace view steps (
  tenant String,
  conversation String,
  answer_key String comment 'The answer this row stands for',
  event_id String comment 'The report that won: the final one, else the greatest',
  task String comment 'Empty = maintenance that belongs to no task',
  run String comment 'Empty = the platform names no runs',
  agent String,
  strategy String comment 'name@version whose context the step was given; empty = none',
  generation Nullable(Int32),
  step_index UInt64,
  purpose String comment 'answer, or our own maintenance: summary, facts, judge',
  final Bool comment 'False: only partial reports of this answer have come',
  provider String,
  model String comment 'The model asked for',
  model_resolved String comment 'The model that answered, where it says so; the price is looked up by it',
  tool_name String,
  tool_result_bytes Nullable(UInt64),
  state_bytes Nullable(UInt64),
  reported_input UInt64 comment 'Input tokens as the provider said them, before they were made disjoint',
  reported_output UInt64 comment 'Output tokens as the provider said them',
  input_uncached UInt64 comment 'Tokens; input_uncached, cache_read, cache_write_5m and cache_write_1h are disjoint',
  cache_read UInt64,
  cache_write_5m UInt64,
  cache_write_1h UInt64,
  output UInt64 comment 'Tokens, reasoning included',
  reasoning UInt64 comment 'Tokens, part of output: never add them to it',
  latency_ms Nullable(UInt64),
  ttft_ms Nullable(UInt64) comment 'Time to the first token',
  context_tokens Nullable(UInt64),
  stable_prefix_tokens Nullable(UInt64),
  usage_semantics String comment 'Whether reported_input includes cached tokens',
  usage_flag String comment 'Empty, or why the counts are doubtful: cache_exceeds_input, reasoning_exceeds_output, semantics_unknown',
  price_id String comment 'The price used; empty = none was found',
  cost Nullable(Decimal(38, 12)) comment 'USD. NULL = the price is not known: sums then say "at least"',
  occurred_at DateTime64(3, 'UTC')
) sql security invoker
as select tenant, conversation, answer_key, event_id, task, run, agent, strategy, generation, step_index, purpose,
          final, provider, model, model_resolved, tool_name, tool_result_bytes, state_bytes, reported_input,
          reported_output, input_uncached, cache_read, cache_write_5m, cache_write_1h, output, reasoning, latency_ms,
          ttft_ms, context_tokens, stable_prefix_tokens, usage_semantics, usage_flag, price_id, cost, occurred_at
from step_rows final;

create or replace view tasks (
  tenant String,
  task String,
  conversation String,
  agent String,
  started_at Nullable(DateTime64(3, 'UTC')),
  finished_at Nullable(DateTime64(3, 'UTC')),
  outcome Nullable(String) comment 'completed, failed, abandoned, handed_over; NULL = not finished'
) sql security invoker
as select
  r.tenant as tenant,
  r.task as task,
  argMax(r.conversation, r.kind) as conversation,
  argMaxIf(r.agent, r.kind, r.agent != '') as agent,
  maxIf(toNullable(r.occurred_at), r.kind = 'started') as started_at,
  maxIf(toNullable(r.occurred_at), r.kind = 'finished') as finished_at,
  maxIf(toNullable(toString(r.outcome)), r.kind = 'finished') as outcome
from task_rows as r final
group by r.tenant, r.task;

create or replace view task_cost (
  tenant String,
  task String,
  agent String comment 'As the task said, else as its last answer said',
  strategy String comment 'Of the last answer of the task',
  day Date comment 'UTC day the task finished, else of its last step',
  outcome Nullable(String) comment 'NULL = not finished',
  steps UInt64 comment 'Model calls of the task, maintenance included; one per answer',
  maintenance_steps UInt64 comment 'Of these, our own summaries, facts and judgements',
  unpriced_steps UInt64 comment 'Steps with tokens and no known price',
  flagged_steps UInt64 comment 'Steps whose counts are doubtful',
  mixed_strategies Bool comment 'Answers of the task were given under more than one strategy',
  cost Decimal(38, 12) comment 'USD, of the priced steps: at least this where unpriced_steps > 0'
) sql security invoker
as select
  p.tenant as tenant,
  p.task as task,
  if(max(p.task_agent) != '', max(p.task_agent), max(p.step_agent)) as agent,
  max(p.strategy) as strategy,
  toDate(assumeNotNull(coalesce(max(p.finished_at), max(p.last_step_at), max(p.started_at)))) as day,
  max(p.outcome) as outcome,
  sum(p.steps) as steps,
  sum(p.maintenance_steps) as maintenance_steps,
  sum(p.unpriced_steps) as unpriced_steps,
  sum(p.flagged_steps) as flagged_steps,
  toBool(max(p.mixed_strategies)) as mixed_strategies,
  sum(p.cost) as cost
from (
  -- A union, not a join: its result does not hang on a reader's join_use_nulls.
  select
    x.tenant as tenant,
    x.task as task,
    '' as task_agent,
    argMax(x.agent, (x.purpose = 'answer' and x.agent != '', x.occurred_at, x.answer_key)) as step_agent,
    argMax(x.strategy, (x.purpose = 'answer' and x.strategy != '', x.occurred_at, x.answer_key)) as strategy,
    null as started_at,
    null as finished_at,
    null as outcome,
    max(toNullable(x.occurred_at)) as last_step_at,
    count() as steps,
    countIf(x.purpose != 'answer') as maintenance_steps,
    countIf(x.cost is null) as unpriced_steps,
    countIf(x.usage_flag != '') as flagged_steps,
    uniqExactIf(x.strategy, x.purpose = 'answer') > 1 as mixed_strategies,
    sum(ifNull(x.cost, toDecimal128(0, 12))) as cost
  from steps as x
  where x.task != ''
  group by x.tenant, x.task
  union all
  select t.tenant, t.task, t.agent, '', '', t.started_at, t.finished_at, t.outcome, null, 0, 0, 0, 0, 0,
         toDecimal128(0, 12)
  from tasks as t
) as p
group by p.tenant, p.task;

create or replace view cost_per_completed_task (
  tenant String,
  agent String,
  strategy String comment 'Empty = spend of no strategy, or of tasks without an answer',
  day Date comment 'UTC day the tasks finished, else of their last step',
  tasks UInt64 comment 'All tasks, finished or not',
  completed UInt64 comment 'Tasks whose outcome is completed',
  steps UInt64,
  unpriced_steps UInt64 comment 'Steps without a known price: all sums here are then "at least"',
  flagged_steps UInt64 comment 'Steps whose token counts are doubtful',
  mixed_strategy_tasks UInt64 comment 'Tasks that changed the strategy on the way; counted under their last one',
  spend Decimal(38, 12) comment 'USD, all of it: failed and open tasks, maintenance, and steps of no task',
  completed_spend Decimal(38, 12) comment 'USD, of the completed tasks only',
  mean_cost_of_completed Nullable(Decimal(38, 12)) comment 'completed_spend / completed: what a completed task cost by itself',
  spend_per_completed Nullable(Decimal(38, 12)) comment 'spend / completed: what a completed task cost with the failures it took',
  at_least Bool comment 'True: unpriced_steps > 0, the true sums are greater'
) sql security invoker
as select
  tenant,
  agent,
  strategy,
  day,
  countIf(is_task) as tasks,
  countIf(is_completed) as completed,
  sum(part_steps) as steps,
  sum(part_unpriced) as unpriced_steps,
  sum(part_flagged) as flagged_steps,
  countIf(part_mixed) as mixed_strategy_tasks,
  sum(part_cost) as spend,
  sumIf(part_cost, is_completed) as completed_spend,
  if(completed = 0, null, completed_spend / greatest(completed, 1)) as mean_cost_of_completed,
  if(completed = 0, null, spend / greatest(completed, 1)) as spend_per_completed,
  toBool(unpriced_steps > 0) as at_least
from (
  select t.tenant as tenant, t.agent as agent, t.strategy as strategy, t.day as day, true as is_task,
         ifNull(t.outcome = 'completed', false) as is_completed, t.steps as part_steps,
         t.unpriced_steps as part_unpriced, t.flagged_steps as part_flagged, t.mixed_strategies as part_mixed,
         t.cost as part_cost
  from task_cost as t
  union all
  select x.tenant, x.agent, x.strategy, toDate(x.occurred_at), false, false, 1, x.cost is null, x.usage_flag != '',
         false, ifNull(x.cost, toDecimal128(0, 12))
  from steps as x
  where x.task = ''
)
group by tenant, agent, strategy, day;

create or replace view run_summary (
  tenant String,
  task String,
  run String comment 'Empty = the platform names no runs: then all steps of the task',
  conversation String,
  agent String,
  strategy String comment 'Of the last answer of the run',
  outcome Nullable(String) comment 'Of the task; NULL = not finished',
  steps UInt64,
  unpriced_steps UInt64,
  input_tokens UInt64 comment 'Uncached, cache reads and cache writes together',
  output_tokens UInt64,
  peak_context_tokens Nullable(UInt64) comment 'Greatest context_tokens of a step; NULL = never reported',
  cost Decimal(38, 12) comment 'USD, of the priced steps',
  at_least Bool comment 'True: unpriced_steps > 0',
  first_step_at DateTime64(3, 'UTC'),
  last_step_at DateTime64(3, 'UTC')
) sql security invoker
as select
  s.tenant as tenant,
  s.task as task,
  s.run as run,
  argMax(s.conversation, (s.occurred_at, s.answer_key)) as conversation,
  argMax(s.agent, (s.purpose = 'answer' and s.agent != '', s.occurred_at, s.answer_key)) as agent,
  argMax(s.strategy, (s.purpose = 'answer' and s.strategy != '', s.occurred_at, s.answer_key)) as strategy,
  max(t.outcome) as outcome,
  count() as steps,
  countIf(s.cost is null) as unpriced_steps,
  sum(s.input_uncached + s.cache_read + s.cache_write_5m + s.cache_write_1h) as input_tokens,
  sum(s.output) as output_tokens,
  max(s.context_tokens) as peak_context_tokens,
  sum(ifNull(s.cost, toDecimal128(0, 12))) as cost,
  toBool(unpriced_steps > 0) as at_least,
  min(s.occurred_at) as first_step_at,
  max(s.occurred_at) as last_step_at
from steps as s
left join tasks as t on s.tenant = t.tenant and s.task = t.task
where s.task != ''
group by s.tenant, s.task, s.run;

create or replace view cache_hit_ratio (
  tenant String,
  agent String,
  strategy String,
  purpose String,
  provider String,
  model String,
  day Date comment 'UTC',
  steps UInt64,
  flagged_steps UInt64 comment 'Steps whose split into cached and uncached is doubtful',
  input_tokens UInt64 comment 'Uncached, cache reads and cache writes together',
  cache_read_tokens UInt64,
  hit_ratio Nullable(Float64) comment 'cache_read_tokens / input_tokens, 0 to 1; NULL = no input'
) sql security invoker
as select
  tenant,
  agent,
  strategy,
  purpose,
  provider,
  model,
  toDate(occurred_at) as day,
  count() as steps,
  countIf(usage_flag != '') as flagged_steps,
  sum(input_uncached + cache_read + cache_write_5m + cache_write_1h) as input_tokens,
  sum(cache_read) as cache_read_tokens,
  if(input_tokens = 0, null, cache_read_tokens / input_tokens) as hit_ratio
from steps
group by tenant, agent, strategy, purpose, provider, model, day;

-- The model of a task, and the metrics that had no view yet.
create or replace view task_cost (
  tenant String,
  task String,
  agent String comment 'As the task said, else as its last answer said',
  strategy String comment 'Of the last answer of the task',
  model String comment 'Of the last answer of the task: the one that answered, else the one asked for',
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
  max(p.model) as model,
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
    argMax(if(x.model_resolved != '', x.model_resolved, x.model), (x.purpose = 'answer', x.occurred_at, x.answer_key)) as model,
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
  select t.tenant, t.task, t.agent, '', '', '', t.started_at, t.finished_at, t.outcome, null, 0, 0, 0, 0, 0,
         toDecimal128(0, 12)
  from tasks as t
) as p
group by p.tenant, p.task;

-- The same answer as cost_per_completed_task, from every step: to check the rollup against, not for dashboards.
create or replace view cost_per_completed_task_raw (
  tenant String,
  agent String,
  strategy String comment 'Empty = spend of no strategy, or of tasks without an answer',
  model String comment 'Of the last answer of the task; a task of several models counts whole under it',
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
  model,
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
  select t.tenant as tenant, t.agent as agent, t.strategy as strategy, t.model as model, t.day as day, true as is_task,
         ifNull(t.outcome = 'completed', false) as is_completed, t.steps as part_steps,
         t.unpriced_steps as part_unpriced, t.flagged_steps as part_flagged, t.mixed_strategies as part_mixed,
         t.cost as part_cost
  from task_cost as t
  union all
  select x.tenant, x.agent, x.strategy, if(x.model_resolved != '', x.model_resolved, x.model), toDate(x.occurred_at), false, false, 1, x.cost is null, x.usage_flag != '',
         false, ifNull(x.cost, toDecimal128(0, 12))
  from steps as x
  where x.task = ''
)
group by tenant, agent, strategy, model, day;

create or replace view peak_context (
  tenant String,
  agent String,
  strategy String,
  week Date comment 'Monday of the week of the run''s last step, UTC',
  runs UInt64 comment 'Runs that reported context_tokens; a task without named runs is one',
  mean_peak_tokens Float64 comment 'Mean over the runs of the greatest context of each',
  max_peak_tokens UInt64 comment 'The greatest context of the week',
  drift Nullable(Float64) comment 'mean_peak_tokens against the week before: 0.2 = 20% up; NULL = no run in that week'
) sql security invoker
as select
  w.tenant as tenant, w.agent as agent, w.strategy as strategy, w.week as week, w.runs as runs,
  w.mean_peak as mean_peak_tokens, w.max_peak as max_peak_tokens,
  if(w.week_before = w.week - 7 and w.mean_before > 0, w.mean_peak / w.mean_before - 1, null) as drift
from (
  select r.tenant as tenant, r.agent as agent, r.strategy as strategy, r.week as week, r.runs as runs,
         r.mean_peak as mean_peak, r.max_peak as max_peak,
         lagInFrame(r.week, 1, toDate(0)) over by_week as week_before,
         lagInFrame(r.mean_peak, 1, 0) over by_week as mean_before
  from (
    select s.tenant as tenant, s.agent as agent, s.strategy as strategy, toMonday(s.last_step_at) as week,
           count() as runs, avg(assumeNotNull(s.peak_context_tokens)) as mean_peak,
           max(assumeNotNull(s.peak_context_tokens)) as max_peak
    from run_summary as s
    where s.peak_context_tokens is not null
    group by s.tenant, s.agent, s.strategy, week
  ) as r
  window by_week as (partition by r.tenant, r.agent, r.strategy order by r.week
                     rows between 1 preceding and current row)
) as w;

create or replace view tool_bytes (
  tenant String,
  agent String,
  tool_name String,
  day Date comment 'UTC',
  results UInt64 comment 'Steps that reported the size of a tool result',
  bytes UInt64 comment 'Bytes of these results as the tools gave them, before any cut',
  mean_bytes Float64,
  max_bytes UInt64
) sql security invoker
as select
  s.tenant as tenant, s.agent as agent, s.tool_name as tool_name, toDate(s.occurred_at) as day, count() as results,
  sum(assumeNotNull(s.tool_result_bytes)) as bytes, bytes / results as mean_bytes,
  max(assumeNotNull(s.tool_result_bytes)) as max_bytes
from steps as s
where s.tool_result_bytes is not null
group by s.tenant, s.agent, s.tool_name, day;

create or replace view maintenance_share (
  tenant String,
  agent String comment 'Empty = maintenance done for no agent in particular',
  day Date comment 'UTC',
  steps UInt64,
  maintenance_steps UInt64 comment 'Our own model calls: summaries, facts, judgements',
  spend Decimal(38, 12) comment 'USD, of the priced steps',
  maintenance_spend Decimal(38, 12) comment 'USD, part of spend',
  share Nullable(Float64) comment 'maintenance_spend / spend, 0 to 1; NULL = nothing was spent',
  at_least Bool comment 'True: some steps have no known price'
) sql security invoker
as select
  s.tenant as tenant, s.agent as agent, toDate(s.occurred_at) as day, count() as steps,
  countIf(s.purpose != 'answer') as maintenance_steps,
  sum(ifNull(s.cost, toDecimal128(0, 12))) as spend,
  sumIf(ifNull(s.cost, toDecimal128(0, 12)), s.purpose != 'answer') as maintenance_spend,
  if(spend = 0, null, toFloat64(maintenance_spend) / toFloat64(spend)) as share,
  toBool(countIf(s.cost is null) > 0) as at_least
from steps as s
group by s.tenant, s.agent, day;

-- Cost per completed task without reading every step. A unit is a task, or the steps of a conversation that belong to
-- none. "rollup_deltas" sums up the units as of the last refresh; a unit touched since is taken out of that sum as it
-- was ("rollup_held") and put in as it is ("rollup_fresh"). So the answer is exact at any time, whether a refresh ran
-- or not; refreshes keep few units touched.

-- Which task met which conversation, and when last. Never shrinks: an answer whose later report names another task
-- touches, by its conversation, the task it leaves.
create table if not exists touched_rows (
  tenant LowCardinality(String),
  conversation String,
  task String,
  touched_at DateTime64(6, 'UTC'),
  index by_time touched_at type minmax granularity 1
) engine = ReplacingMergeTree(touched_at)
order by (tenant, conversation, task)
settings index_granularity = 1024, non_replicated_deduplication_window = 10000, fsync_after_insert = 1;

create materialized view if not exists touched_by_steps to touched_rows
as select tenant, conversation, task, now64(6, 'UTC') as touched_at from step_rows group by tenant, conversation, task;

create materialized view if not exists touched_by_tasks to touched_rows
as select tenant, '' as conversation, task, now64(6, 'UTC') as touched_at from task_rows group by tenant, task;

insert into touched_rows select distinct tenant, conversation, task, now64(6, 'UTC') from step_rows;

insert into touched_rows select distinct tenant, '', task, now64(6, 'UTC') from task_rows;

-- Written last by a refresh, and what makes its rows count. Of two that ran at once, the first to finish counts.
create table if not exists rollup_refreshes (
  refresh UInt64 comment 'Counts up from 1',
  nonce String comment 'Tells two refreshes of one number apart',
  watermark DateTime64(6, 'UTC') comment 'Units touched before are as they were then',
  is_base Bool comment 'Its deltas are the whole sum: earlier ones no longer count',
  finished_at DateTime64(6, 'UTC')
) engine = MergeTree order by refresh
settings fsync_after_insert = 1;

create table if not exists rollup_units (
  refresh UInt64,
  nonce String,
  tenant LowCardinality(String),
  task String,
  conversation String comment 'Of steps without a task; else empty',
  agent LowCardinality(String),
  strategy LowCardinality(String),
  model LowCardinality(String),
  day Date,
  tasks Int64,
  completed Int64,
  steps Int64,
  unpriced_steps Int64,
  flagged_steps Int64,
  mixed_strategy_tasks Int64,
  spend Decimal(38, 12),
  completed_spend Decimal(38, 12)
) engine = MergeTree order by (tenant, task, conversation, refresh)
settings index_granularity = 1024, fsync_after_insert = 1;

create table if not exists rollup_deltas (
  refresh UInt64,
  nonce String,
  tenant LowCardinality(String),
  agent LowCardinality(String),
  strategy LowCardinality(String),
  model LowCardinality(String),
  day Date,
  tasks Int64,
  completed Int64,
  steps Int64,
  unpriced_steps Int64,
  flagged_steps Int64,
  mixed_strategy_tasks Int64,
  spend Decimal(38, 12),
  completed_spend Decimal(38, 12)
) engine = MergeTree order by (tenant, refresh, day)
settings fsync_after_insert = 1;

create or replace view rollup_finished (
  refresh UInt64,
  nonce String comment 'Of the refresh of that number that finished first',
  watermark DateTime64(6, 'UTC'),
  is_base Bool
) sql security invoker
as select r.refresh as refresh, argMin(r.nonce, r.finished_at) as nonce, argMin(r.watermark, r.finished_at) as watermark,
          argMin(r.is_base, r.finished_at) as is_base
from rollup_refreshes as r
group by r.refresh;

create or replace view rollup_dirty (
  tenant String,
  task String,
  conversation String comment 'Of steps without a task; else empty'
) sql security invoker
-- Two reads, each by an index, where one condition with "or" would read the whole table.
as select distinct t.tenant as tenant, t.task as task, if(t.task = '', t.conversation, '') as conversation
from (
  select n.tenant as tenant, n.task as task, n.conversation as conversation from touched_rows as n
  where n.touched_at >= (select max(watermark) from rollup_finished)
  union all
  select o.tenant, o.task, o.conversation from touched_rows as o
  where (o.tenant, o.conversation) in (
    select x.tenant, x.conversation from touched_rows as x
    where x.touched_at >= (select max(watermark) from rollup_finished) and x.conversation != ''
  )
) as t
where not (t.task = '' and t.conversation = '');

create or replace view rollup_held (
  tenant String, task String, conversation String, agent String, strategy String, model String, day Date,
  tasks Int64, completed Int64, steps Int64, unpriced_steps Int64, flagged_steps Int64, mixed_strategy_tasks Int64,
  spend Decimal(38, 12), completed_spend Decimal(38, 12)
) sql security invoker
as select u.tenant, u.task, u.conversation, u.agent, u.strategy, u.model, u.day, u.tasks, u.completed, u.steps,
          u.unpriced_steps, u.flagged_steps, u.mixed_strategy_tasks, u.spend, u.completed_spend
from rollup_units as u
where (u.refresh, u.nonce) in (select refresh, nonce from rollup_finished)
  and (u.tenant, u.task, u.conversation, u.refresh) in (
    select l.tenant, l.task, l.conversation, max(l.refresh) from rollup_units as l
    where (l.tenant, l.task, l.conversation) in (select tenant, task, conversation from rollup_dirty)
      and (l.refresh, l.nonce) in (select refresh, nonce from rollup_finished)
    group by l.tenant, l.task, l.conversation
  );

create or replace view rollup_fresh (
  tenant String, task String, conversation String, agent String, strategy String, model String, day Date,
  tasks Int64, completed Int64, steps Int64, unpriced_steps Int64, flagged_steps Int64, mixed_strategy_tasks Int64,
  spend Decimal(38, 12), completed_spend Decimal(38, 12)
) sql security invoker
as select
  c.tenant, c.task, '' as conversation, c.agent, c.strategy, c.model, c.day, 1 as tasks,
  ifNull(c.outcome = 'completed', false) as completed, c.steps, c.unpriced_steps, c.flagged_steps,
  c.mixed_strategies as mixed_strategy_tasks, c.cost as spend,
  if(ifNull(c.outcome = 'completed', false), c.cost, toDecimal128(0, 12)) as completed_spend
from (
  select
    p.tenant as tenant,
    p.task as task,
    if(max(p.task_agent) != '', max(p.task_agent), max(p.step_agent)) as agent,
    max(p.strategy) as strategy,
    max(p.model) as model,
    toDate(assumeNotNull(coalesce(max(p.finished_at), max(p.last_step_at), max(p.started_at)))) as day,
    max(p.outcome) as outcome,
    sum(p.steps) as steps,
    sum(p.unpriced_steps) as unpriced_steps,
    sum(p.flagged_steps) as flagged_steps,
    max(p.mixed_strategies) as mixed_strategies,
    sum(p.cost) as cost
  from (
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
      countIf(x.cost is null) as unpriced_steps,
      countIf(x.usage_flag != '') as flagged_steps,
      uniqExactIf(x.strategy, x.purpose = 'answer') > 1 as mixed_strategies,
      sum(ifNull(x.cost, toDecimal128(0, 12))) as cost
    from step_rows as x final
    where x.task != ''
      and (x.tenant, x.conversation) in (
        select k.tenant, k.conversation from touched_rows as k
        where k.task != '' and k.conversation != '' and (k.tenant, k.task) in (select tenant, task from rollup_dirty)
      )
      and (x.tenant, x.task) in (select tenant, task from rollup_dirty)
    group by x.tenant, x.task
    union all
    select
      r.tenant as tenant,
      r.task as task,
      argMaxIf(r.agent, r.kind, r.agent != '') as task_agent,
      '', '', '',
      maxIf(toNullable(r.occurred_at), r.kind = 'started') as started_at,
      maxIf(toNullable(r.occurred_at), r.kind = 'finished') as finished_at,
      maxIf(toNullable(toString(r.outcome)), r.kind = 'finished') as outcome,
      null, 0, 0, 0, 0, toDecimal128(0, 12)
    from task_rows as r final
    where (r.tenant, r.task) in (select tenant, task from rollup_dirty)
    group by r.tenant, r.task
  ) as p
  group by p.tenant, p.task
) as c
union all
select
  x.tenant, '' as task, x.conversation, x.agent, x.strategy, if(x.model_resolved != '', x.model_resolved, x.model) as model,
  toDate(x.occurred_at) as day, 0, 0, count(), countIf(x.cost is null), countIf(x.usage_flag != ''), 0,
  sum(ifNull(x.cost, toDecimal128(0, 12))), toDecimal128(0, 12)
from step_rows as x final
where x.task = '' and (x.tenant, x.conversation) in (select tenant, conversation from rollup_dirty where task = '')
group by x.tenant, x.conversation, x.agent, x.strategy, model, day;

create or replace view cost_per_completed_task (
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
  a.tenant as tenant,
  a.agent as agent,
  a.strategy as strategy,
  a.model as model,
  a.day as day,
  toUInt64(sum(a.tasks)) as tasks,
  toUInt64(sum(a.completed)) as completed,
  toUInt64(sum(a.steps)) as steps,
  toUInt64(sum(a.unpriced_steps)) as unpriced_steps,
  toUInt64(sum(a.flagged_steps)) as flagged_steps,
  toUInt64(sum(a.mixed_strategy_tasks)) as mixed_strategy_tasks,
  sum(a.spend) as spend,
  sum(a.completed_spend) as completed_spend,
  if(completed = 0, null, completed_spend / greatest(completed, 1)) as mean_cost_of_completed,
  if(completed = 0, null, spend / greatest(completed, 1)) as spend_per_completed,
  toBool(unpriced_steps > 0) as at_least
from (
  select d.tenant as tenant, d.agent as agent, d.strategy as strategy, d.model as model, d.day as day, d.tasks as tasks,
         d.completed as completed, d.steps as steps, d.unpriced_steps as unpriced_steps,
         d.flagged_steps as flagged_steps, d.mixed_strategy_tasks as mixed_strategy_tasks, d.spend as spend,
         d.completed_spend as completed_spend
  from rollup_deltas as d
  where d.refresh >= (select maxIf(refresh, is_base) from rollup_finished)
    and (d.refresh, d.nonce) in (select refresh, nonce from rollup_finished)
  union all
  select h.tenant, h.agent, h.strategy, h.model, h.day, -h.tasks, -h.completed, -h.steps, -h.unpriced_steps,
         -h.flagged_steps, -h.mixed_strategy_tasks, -h.spend, -h.completed_spend
  from rollup_held as h
  union all
  select f.tenant, f.agent, f.strategy, f.model, f.day, f.tasks, f.completed, f.steps, f.unpriced_steps,
         f.flagged_steps, f.mixed_strategy_tasks, f.spend, f.completed_spend
  from rollup_fresh as f
) as a
group by a.tenant, a.agent, a.strategy, a.model, a.day
having sum(a.tasks) != 0 or sum(a.steps) != 0;

-- Rows as the sink inserts them. Read them through the views "steps" and "tasks": before a merge these tables can
-- still hold several rows for one answer, and a sum over them would count it twice.
--
-- No partition key: every column a partition could be cut by can differ between two reports of one answer, and rows
-- in different partitions are never merged into one.
create table if not exists step_rows (
  tenant LowCardinality(String),
  conversation String,
  answer_key String comment 'What makes two reports one answer: request:<id>, else answer:<id>, else event:<id>',
  version UInt256 comment 'Orders the reports of one answer: final first, then the greatest usage (packages/ledger/src/step-version.ts)',
  event_id String,
  task String,
  run String,
  agent LowCardinality(String),
  strategy LowCardinality(String),
  generation Nullable(Int32),
  step_index UInt64,
  purpose LowCardinality(String),
  final Bool,
  provider LowCardinality(String),
  model LowCardinality(String),
  model_resolved LowCardinality(String),
  tool_name LowCardinality(String),
  tool_result_bytes Nullable(UInt64),
  state_bytes Nullable(UInt64),
  reported_input UInt64,
  reported_output UInt64,
  input_uncached UInt64,
  cache_read UInt64,
  cache_write_5m UInt64,
  cache_write_1h UInt64,
  output UInt64,
  reasoning UInt64,
  latency_ms Nullable(UInt64),
  ttft_ms Nullable(UInt64),
  context_tokens Nullable(UInt64),
  stable_prefix_tokens Nullable(UInt64),
  usage_semantics LowCardinality(String),
  usage_flag LowCardinality(String),
  price_id LowCardinality(String),
  cost Nullable(Decimal(38, 12)),
  occurred_at DateTime64(3, 'UTC')
) engine = ReplacingMergeTree(version)
order by (tenant, conversation, answer_key)
settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

create table if not exists task_rows (
  tenant LowCardinality(String),
  task String,
  kind Enum8('started' = 1, 'finished' = 2),
  version UInt128 comment 'occurred_at, then the log offset: the last one said wins, so an outcome can be corrected',
  event_id String,
  conversation String,
  agent LowCardinality(String),
  outcome LowCardinality(String),
  occurred_at DateTime64(3, 'UTC')
) engine = ReplacingMergeTree(version)
order by (tenant, task, kind)
settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

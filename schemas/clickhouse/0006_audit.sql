-- What the log says, while "palimpsest ledger audit" holds it against the ledger; dropped when it is done.
create table if not exists audit_step_rows (
  audit String,
  settled Bool comment 'The sink has passed this event: the ledger must have it',
  tenant LowCardinality(String),
  conversation String,
  answer_key String,
  version UInt256,
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
) engine = MergeTree
partition by audit
order by (tenant, conversation, answer_key);

create table if not exists audit_task_rows (
  audit String,
  settled Bool,
  tenant LowCardinality(String),
  task String,
  kind Enum8('started' = 1, 'finished' = 2),
  version UInt128,
  event_id String,
  conversation String,
  agent LowCardinality(String),
  outcome LowCardinality(String),
  occurred_at DateTime64(3, 'UTC')
) engine = MergeTree
partition by audit
order by (tenant, task, kind);

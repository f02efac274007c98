-- What "palimpsest ledger reprice" changed, a row per answer, written before the answer itself is.
create table if not exists reprice_rows (
  repricing String,
  repriced_at DateTime64(3, 'UTC'),
  note String,
  tenant LowCardinality(String),
  conversation String,
  answer_key String,
  event_id String,
  price_id_before LowCardinality(String),
  cost_before Nullable(Decimal(38, 12)),
  price_id_after LowCardinality(String),
  cost_after Nullable(Decimal(38, 12))
) engine = ReplacingMergeTree
order by (tenant, conversation, answer_key, repricing)
settings non_replicated_deduplication_window = 1000;

create or replace view repricings (
  repricing String comment 'One run of "palimpsest ledger reprice"',
  repriced_at DateTime64(3, 'UTC') comment 'When it began',
  note String comment 'Why, as given to the command',
  tenant String,
  conversation String,
  answer_key String comment 'The answer of steps whose cost it set',
  event_id String,
  price_id_before String comment 'Empty = no price was known',
  cost_before Nullable(Decimal(38, 12)) comment 'USD',
  price_id_after String,
  cost_after Nullable(Decimal(38, 12)) comment 'USD'
) sql security invoker
as select repricing, repriced_at, note, tenant, conversation, answer_key, event_id, price_id_before, cost_before,
          price_id_after, cost_after
from reprice_rows final;

-- Money per million tokens. A later import replaces a row of the same key by its version; the seed has version 0, so
-- it never overwrites what was imported or edited.
create table if not exists price_rows (
  provider LowCardinality(String),
  model String,
  valid_from DateTime64(3, 'UTC'),
  valid_until Nullable(DateTime64(3, 'UTC')),
  context_above UInt64 comment 'The price holds for calls with more input tokens than this',
  currency LowCardinality(String),
  input Nullable(Decimal(38, 12)),
  cache_read Nullable(Decimal(38, 12)),
  cache_write_5m Nullable(Decimal(38, 12)),
  cache_write_1h Nullable(Decimal(38, 12)),
  output Nullable(Decimal(38, 12)),
  source String,
  version UInt64
) engine = ReplacingMergeTree(version)
order by (provider, model, valid_from, context_above);

-- Other names of a model, one by one: a name is never matched by a part of it.
create table if not exists price_alias_rows (
  provider LowCardinality(String),
  alias String,
  model String,
  version UInt64
) engine = ReplacingMergeTree(version)
order by (provider, alias);

create or replace view prices (
  provider String comment 'Who bills',
  model String comment 'The name the price is found by: exact, or by an alias of price_aliases',
  valid_from DateTime64(3, 'UTC') comment 'First moment the price holds',
  valid_until Nullable(DateTime64(3, 'UTC')) comment 'First moment it no longer holds; NULL = until a later valid_from',
  context_above UInt64 comment 'Holds for calls with more input tokens than this; 0 = the base price',
  currency String comment 'ISO 4217',
  input Nullable(Decimal(38, 12)) comment 'Per million uncached input tokens; NULL = not known, 0 = free',
  cache_read Nullable(Decimal(38, 12)) comment 'Per million tokens read from the cache',
  cache_write_5m Nullable(Decimal(38, 12)) comment 'Per million tokens written to a 5-minute cache',
  cache_write_1h Nullable(Decimal(38, 12)) comment 'Per million tokens written to a 1-hour cache',
  output Nullable(Decimal(38, 12)) comment 'Per million output tokens, reasoning included',
  source String comment 'Where the price was read'
) sql security invoker
as select provider, model, valid_from, valid_until, context_above, currency, input, cache_read, cache_write_5m,
          cache_write_1h, output, source
from price_rows final;

create or replace view price_aliases (
  provider String comment 'Who bills',
  alias String comment 'A name a step may carry',
  model String comment 'The name in prices'
) sql security invoker
as select provider, alias, model from price_alias_rows final;

-- Every line of a price that ever held, also of one that a later import replaced: what a row of "steps" cost can be
-- checked against the line its price_id names, whatever the price is now. Fed by price_rows.
create table if not exists price_log (
  provider LowCardinality(String),
  model String,
  valid_from DateTime64(3, 'UTC'),
  context_above UInt64,
  price_id String materialized concat(
    provider, '/', model, '@',
    if(valid_from = toStartOfDay(valid_from), toString(toDate(valid_from)), concat(replaceOne(toString(valid_from), ' ', 'T'), 'Z')),
    if(context_above > 0, concat('>', toString(context_above)), '')
  ) comment 'As in steps: provider/model@day, with >tokens for a tier of long contexts',
  input Nullable(Decimal(38, 12)),
  cache_read Nullable(Decimal(38, 12)),
  cache_write_5m Nullable(Decimal(38, 12)),
  cache_write_1h Nullable(Decimal(38, 12)),
  output Nullable(Decimal(38, 12)),
  amounts UInt64 comment 'Hash of the five amounts: the same line said again is one row'
) engine = ReplacingMergeTree
order by (provider, model, valid_from, context_above, amounts);

create materialized view if not exists price_log_feed to price_log
as select provider, model, valid_from, context_above, input, cache_read, cache_write_5m, cache_write_1h, output,
          cityHash64(toString(tuple(input, cache_read, cache_write_5m, cache_write_1h, output))) as amounts
from price_rows;

insert into price_log (provider, model, valid_from, context_above, input, cache_read, cache_write_5m, cache_write_1h,
                       output, amounts)
select provider, model, valid_from, context_above, input, cache_read, cache_write_5m, cache_write_1h, output,
       cityHash64(toString(tuple(input, cache_read, cache_write_5m, cache_write_1h, output)))
from price_rows;

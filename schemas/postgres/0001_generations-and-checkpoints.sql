-- Everything of ours lives in the schema "palimpsest"; the embedded log has its own.
create schema if not exists palimpsest;

-- One strategy's full set of views, with its own checkpoints.
create table palimpsest.generations (
  generation integer primary key,
  strategy_name text not null,
  strategy_version text not null,
  -- canonical JSON of the strategy; its hash is the version
  strategy text not null,
  status text not null check (status in ('building', 'live', 'retired')),
  created_at timestamptz not null default now()
);
create unique index generations_one_live on palimpsest.generations (status) where status = 'live';

-- Next offset wanted, moved by compare-and-set in the handler's own transaction.
-- A new owner raises the epoch; a stale owner's compare-and-set then matches no row and its transaction fails.
create table palimpsest.checkpoints (
  generation integer not null,
  consumer text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  epoch bigint not null,
  updated_at timestamptz not null default now(),
  primary key (generation, consumer, topic, partition)
);

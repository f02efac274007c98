-- API keys: only a hash is stored. The tenant comes from here, never from a body.
create table palimpsest.api_keys (
  key_id text primary key,
  key_hash bytea not null unique,
  tenant text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- What the API has accepted: makes POST /v1/events idempotent by event id and refuses one seq with two ids.
create table palimpsest.accepted_events (
  tenant text not null,
  event_id uuid not null,
  conversation_id text not null,
  seq bigint,
  digest bytea not null,
  topic text not null,
  partition integer not null,
  "offset" bigint not null,
  primary key (tenant, event_id)
) with (fillfactor = 60); -- the place is filled in after the append: room for that on the same page
create unique index accepted_events_by_seq on palimpsest.accepted_events (tenant, conversation_id, seq)
  where seq is not null;
-- Whether a conversation is ordered by seq or by the log: decided by its first event.
create table palimpsest.accepted_conversations (
  tenant text not null,
  conversation_id text not null,
  ordered_by_seq boolean not null,
  primary key (tenant, conversation_id)
);

-- Blocks of the ledger: written before the insert into ClickHouse, marked after it, so that a retry sends the same block.
create table palimpsest.ledger_blocks (
  topic text not null,
  partition integer not null,
  from_offset bigint not null,
  next_offset bigint not null,
  done boolean not null default false,
  primary key (topic, partition, from_offset)
);

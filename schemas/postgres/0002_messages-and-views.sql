-- Every event of chat.messages, once per generation: its rendition, counted once.
create table palimpsest.messages (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  event_id uuid not null,
  -- place inside the conversation: the producer's seq, else the log offset
  ord bigint not null,
  "offset" bigint not null,
  kind text not null,
  tokens integer not null,
  original_tokens integer not null,
  -- JSON of the entry as the window holds it (packages/strategy: Entry); of a control event: its body
  entry text not null,
  occurred_at timestamptz not null,
  primary key (generation, tenant, conversation_id, event_id)
) partition by list (generation);
create unique index messages_by_order on palimpsest.messages (generation, tenant, conversation_id, ord);

-- Originals of what was cut, by content. The id is the hash, so one original is stored once per tenant.
create table palimpsest.artifacts (
  generation integer not null,
  tenant text not null,
  artifact_id text not null,
  conversation_id text not null,
  mime text not null,
  size_bytes integer not null,
  content text not null,
  primary key (generation, tenant, artifact_id, conversation_id)
) partition by list (generation);

-- One row per conversation: the folded state, from which a context is assembled without reading messages.
create table palimpsest.context_views (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  -- highest log offset folded in, and the partition it is counted in
  partition integer not null,
  "offset" bigint not null,
  state text not null,
  primary key (generation, tenant, conversation_id)
) partition by list (generation);
-- The row is written anew at every batch: pglz took more time than all the rest of it (docs/decisions/0002).
alter table palimpsest.context_views alter column state set storage external;

-- Two events that claim one place, or a mix of events with and without seq: reported, never guessed.
create table palimpsest.conflicts (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  event_id uuid not null,
  "offset" bigint not null,
  reason text not null,
  primary key (generation, tenant, conversation_id, event_id)
) partition by list (generation);

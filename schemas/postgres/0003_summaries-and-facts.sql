-- Fold state of the summarizer and the fact-extractor: which messages wait for a block. JSON, one row per conversation.
create table palimpsest.derivation_state (
  generation integer not null,
  consumer text not null,
  tenant text not null,
  conversation_id text not null,
  state text not null,
  primary key (generation, consumer, tenant, conversation_id)
) partition by list (generation);

-- One leaf per summarized block; a rolling summary is a fold over leaves.
create table palimpsest.summaries (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  from_order bigint not null,
  to_order bigint not null,
  -- messages of the range that arrived later than this offset are not covered
  seen_offset bigint not null,
  event_id uuid not null,
  text text not null,
  carried text[] not null,
  tokens integer not null,
  model text not null,
  prompt_hash text not null,
  primary key (generation, tenant, conversation_id, from_order)
) partition by list (generation);

create table palimpsest.facts (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  fact_id uuid not null,
  client_id text,
  fact_type text not null,
  actor text not null,
  subject text not null,
  payload text not null,
  valid_from timestamptz,
  valid_until timestamptz,
  source_id uuid not null,
  source_order bigint not null,
  derivation_id uuid not null,
  superseded_by uuid,
  tokens integer not null,
  primary key (generation, tenant, conversation_id, fact_id)
) partition by list (generation);

-- Answers of a model that could not become facts, kept for a person to see.
create table palimpsest.facts_review (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  review_id uuid not null,
  reason text not null,
  answer text not null,
  created_at timestamptz not null default now(),
  primary key (generation, tenant, conversation_id, review_id)
) partition by list (generation);

-- Partitions of every table that is partitioned by generation. Retiring a generation drops them.
create function palimpsest.create_generation_partitions(g integer) returns void language plpgsql as $$
declare
  parent text;
begin
  foreach parent in array array['messages', 'artifacts', 'context_views', 'conflicts', 'derivation_state',
                                'summaries', 'facts', 'facts_review'] loop
    execute format('create table if not exists palimpsest.%I partition of palimpsest.%I for values in (%s)',
                   parent || '_g' || g, parent, g);
  end loop;
end
$$;

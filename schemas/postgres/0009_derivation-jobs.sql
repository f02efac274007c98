-- What became of each question to a model, one row per range that a generation's fold has cut. Jobs that still wait or
-- run lie in graphile_worker; this is what is left when they end.
create table palimpsest.derivation_jobs (
  generation integer not null,
  -- summary, facts
  purpose text not null,
  tenant text not null,
  conversation_id text not null,
  from_order bigint not null,
  to_order bigint not null,
  job_id uuid not null,
  -- made, reused, rejected, skipped, cancelled, failed
  outcome text not null,
  -- of a rejection or a failure
  reason text,
  attempt integer not null,
  -- answers paid for in the last run
  calls integer not null,
  model text,
  prompt_hash text,
  input_hash text,
  -- SHA-256 of the last answer as it came
  answer_hash text,
  -- the job itself, JSON, to be asked again
  job text not null,
  ended_at timestamptz not null default now(),
  primary key (generation, purpose, tenant, conversation_id, from_order, to_order)
) partition by list (generation);
create index derivation_jobs_by_id on palimpsest.derivation_jobs (job_id);

-- Answers of a model that could not become summaries, kept for a person to see; as facts_review for facts.
create table palimpsest.summaries_review (
  generation integer not null,
  tenant text not null,
  conversation_id text not null,
  review_id uuid not null,
  reason text not null,
  answer text not null,
  created_at timestamptz not null default now(),
  primary key (generation, tenant, conversation_id, review_id)
) partition by list (generation);

-- Tokens that a tenant's memory has cost on a day (UTC), over all generations and processes: what its limit is held
-- against. Money is in the ledger.
create table palimpsest.model_spend (
  tenant text not null,
  day date not null,
  purpose text not null,
  calls bigint not null,
  tokens bigint not null,
  primary key (tenant, day, purpose)
);

-- Partitions of every table that is partitioned by generation, whichever migration made it.
create or replace function palimpsest.create_generation_partitions(g integer) returns void language plpgsql as $$
declare
  parent text;
begin
  for parent in
    select c.relname from pg_class c
    where c.relnamespace = 'palimpsest'::regnamespace and c.relkind = 'p'
      and pg_get_partkeydef(c.oid) = 'LIST (generation)'
    order by c.relname
  loop
    execute format('create table if not exists palimpsest.%I partition of palimpsest.%I for values in (%s)',
                   parent || '_g' || g, parent, g);
  end loop;
end
$$;
select palimpsest.create_generation_partitions(generation) from palimpsest.generations where status <> 'retired';

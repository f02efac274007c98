-- A generation that was live and may be switched back to stands by: its consumers go on following the log.
alter table palimpsest.generations drop constraint generations_status_check;
alter table palimpsest.generations add constraint generations_status_check
  check (status in ('building', 'live', 'standby', 'retired'));

alter table palimpsest.generations
  -- JSON: which events it is made of; null = all. Only a whole one can go live.
  add column scope text,
  -- when it last went live
  add column live_since timestamptz,
  -- that it was live once, and when it stopped to be
  add column standby_since timestamptz;
update palimpsest.generations set live_since = created_at where status = 'live';

-- Drops what create_generation_partitions made.
create function palimpsest.drop_generation_partitions(g integer) returns void language plpgsql as $$
declare
  part regclass;
begin
  for part in
    select i.inhrelid::regclass from pg_inherits i
    join pg_class parent on parent.oid = i.inhparent
    join pg_class child on child.oid = i.inhrelid
    where parent.relnamespace = 'palimpsest'::regnamespace and parent.relkind = 'p'
      and child.relname = parent.relname || '_g' || g
    order by parent.relname
  loop
    execute format('drop table %s', part);
  end loop;
end
$$;

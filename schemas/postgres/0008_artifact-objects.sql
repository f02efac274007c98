-- Large originals lie in an object store; the row then names the object in place of the content.
alter table palimpsest.artifacts alter column content drop not null;
alter table palimpsest.artifacts add column object_key text;
alter table palimpsest.artifacts add constraint artifacts_in_one_place
  check ((content is null) <> (object_key is null));
-- One object may be named by several conversations and generations: it goes when the last of them is gone.
create index artifacts_by_object on palimpsest.artifacts (object_key) where object_key is not null;

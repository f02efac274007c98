-- Which topic of that name a checkpoint is of: one that was deleted and created again has another id, and our offsets mean
-- other records there. Null: the log gives no ids, or the checkpoint is older than this column; its next owner fills it in.
alter table palimpsest.checkpoints add column topic_id text;

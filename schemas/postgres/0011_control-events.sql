-- Tools as declared last, and the words of a task, are read from their rows: few among many messages.
create index messages_control on palimpsest.messages (generation, tenant, conversation_id, kind, ord)
  where kind in ('tools_declared', 'state_patch', 'phase');

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '@palimpsest/service-host';
import { type Context, createClient } from '@palimpsest/client';
import type pg from 'pg';
import type { Output } from '../output.js';
import { importFiles, type Imported } from './import.js';
import { slotTable } from './slot-bar.js';
import { answerTable, askLedger } from './sql.js';

/** The session shown: long enough that a window overflows, with tool results of many kinds. */
const SHOWN = 'support-stuck-exports';
const BUDGET = 4000;
const COSTS = `select strategy, sum(c.tasks) as tasks, sum(c.completed) as completed,
         toString(round(sum(c.completed_spend) / sum(c.completed), 4)) as mean_of_completed,
         toString(round(sum(c.spend) / sum(c.completed), 4)) as spend_per_completed,
         if(sum(c.unpriced_steps) > 0, concat('at least, ', toString(sum(c.unpriced_steps)), ' unpriced'), '') as note
  from cost_per_completed_task as c where strategy != ''
  group by strategy having sum(c.completed) > 0 order by sum(c.spend) / sum(c.completed)`;
/** Large enough for any sample whole: the context "before". */
const WHOLE = 1_000_000;

/** A running stack, embedded or of separate processes, as far as the demonstration needs it. */
export interface ShownStack {
  /** Of the API. */
  url: string;
  key: string;
  pool: pg.Pool;
  /** Resolves when everything sent is handled. */
  settled(): Promise<void>;
}

/** Imports the samples, whatever of them is known already. */
export async function importSamples(stack: ShownStack, output: Output): Promise<Imported> {
  const folder = join(installationRoot(), 'samples');
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .map((file) => join(folder, file));
  output.progress(`Importing ${files.length} sample sessions…`);
  const imported = await importFiles('events', files, stack);
  output.progress('Folding…');
  await stack.settled();
  return imported;
}

/** Prints one session's context before and after, and the cost per completed task by strategy. */
export async function demonstrate(
  stack: ShownStack,
  imported: Imported | null,
  output: Output,
): Promise<void> {
  const client = createClient(stack);
  const conversation = await shownConversation(stack);
  const before = await client.context(conversation, { budget: WHOLE });
  const after = await client.context(conversation, { budget: BUDGET });
  const costs = await askLedger(stack, COSTS);

  output.line(`\nSession "${conversation}", the next call's context by ${after.strategy}\n`);
  output.line(`Before: the whole history (${before.messages.length} messages)`);
  output.line(slotTable(before.tokens.by_slot, before.tokens.total, before.tokens.total));
  output.line(
    `\nAfter: a budget of ${BUDGET.toLocaleString('en')} tokens (${after.messages.length} messages)`,
  );
  output.line(slotTable(after.tokens.by_slot, after.tokens.total, BUDGET));
  for (const line of summaryOfLeftOut(after)) output.line(line);
  output.line('\nCost per completed task by strategy, USD ("at least" where steps are unpriced)');
  output.line(answerTable(costs));
  output.value({ imported, conversation, before: brief(before), after: brief(after), costs: costs.data });
}

async function shownConversation(stack: ShownStack): Promise<string> {
  const { rows } = await stack.pool.query<{ conversation_id: string }>(
    `select conversation_id from palimpsest.context_views
     where conversation_id like '%' || $1 || '%' order by conversation_id limit 1`,
    [SHOWN],
  );
  const found = rows[0]?.conversation_id;
  if (found !== undefined) return found;
  const longest = await stack.pool.query<{ conversation_id: string }>(
    `select conversation_id from palimpsest.messages group by conversation_id
     order by sum(tokens) desc, conversation_id limit 1`,
  );
  if (longest.rows[0] === undefined) throw new Error('The store holds no conversation to show.');
  return longest.rows[0].conversation_id;
}

function summaryOfLeftOut(context: Context): string[] {
  return context.left_out
    .slice(0, 6)
    .map((left) => `  left out: ${String(left['what'])} (${String(left['why'])})`);
}

function brief(context: Context): object {
  const { position, strategy, tokens, messages, left_out } = context;
  return { position, strategy, tokens, messages: messages.length, left_out };
}

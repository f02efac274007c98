// Checks the committed samples: JSON, required fields, ids, order, pairs of calls and results, sizes.
// Prints a table and exits 1 with every fault named.
//   node samples/check.mjs
import { readdirSync, readFileSync } from 'node:fs';

const REQUIRED = {
  message: ['role', 'content'],
  tool_call: ['call_id', 'tool', 'arguments'],
  tool_result: ['call_id', 'content'],
  pin: ['message_id'],
  unpin: ['message_id'],
  correction: ['message_id'],
  state_patch: ['task_id', 'patch'],
  tools_declared: ['tools'],
  phase: ['task_id', 'phase'],
  conversation_settings: [],
  step: ['step_index', 'task_id', 'run_id', 'provider', 'model', 'usage', 'request_id', 'answer_id', 'strategy'],
  task_started: ['task_id'],
  task_finished: ['task_id', 'outcome'],
};
const OUTCOMES = new Set(['completed', 'failed', 'abandoned', 'handed_over']);
const WITHOUT_SEQ = new Set(['step', 'task_started', 'task_finished']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TOTAL_LIMIT = 1_500_000;
const MESSAGES = { least: 20, most: 120 };

const folder = new URL('./', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).toSorted();
const faults = [];
const seenIds = new Set();
const rows = [];
let total = 0;

/** Order and pairs within one conversation; `fault` takes the line number and what is wrong. */
function conversationRules(fault) {
  const called = new Set();
  const answered = new Set();
  const messages = new Set();
  let [openTask, lastTime, lastSeq, hasSeq] = [undefined, '', 0, undefined];
  return {
    take(event, line) {
      if (event.occurred_at < lastTime) fault(line, `occurred_at goes back from ${lastTime}`);
      lastTime = event.occurred_at;
      if (WITHOUT_SEQ.has(event.type)) {
        if ('seq' in event) fault(line, `${event.type} must not carry seq`);
      } else {
        hasSeq ??= 'seq' in event;
        if (hasSeq && event.seq !== lastSeq + 1) fault(line, `seq ${event.seq} after ${lastSeq}`);
        if (hasSeq !== 'seq' in event) fault(line, 'seq on some events of the conversation only');
        lastSeq = event.seq ?? 0;
      }
      if (event.type === 'message' || event.type === 'tool_result') messages.add(event.event_id);
      if (event.type === 'tool_call') {
        if (called.has(event.call_id)) fault(line, `call_id ${event.call_id} is used twice`);
        called.add(event.call_id);
      }
      if (event.type === 'tool_result') {
        if (!called.has(event.call_id)) fault(line, `result ${event.call_id} has no call before it`);
        if (answered.has(event.call_id)) fault(line, `call ${event.call_id} is answered twice`);
        answered.add(event.call_id);
      }
      if (event.message_id && !messages.has(event.message_id)) fault(line, `${event.type} of an unknown message`);
      for (const id of event.source_ids ?? []) if (!messages.has(id)) fault(line, `source ${id} is unknown`);
      if (event.type === 'task_started') openTask = event.task_id;
      if ((event.type === 'step' || event.type === 'task_finished') && event.task_id !== openTask) fault(line, `task ${event.task_id} is not open`);
      if (event.type === 'task_finished') openTask = undefined;
    },
    end(line) {
      if (openTask) fault(line, `task ${openTask} is never finished`);
      for (const call of called) if (!answered.has(call)) fault(line, `call ${call} has no result`);
    },
  };
}

function eventFaults(event) {
  if (!(event.type in REQUIRED)) return [`unknown type ${event.type}`];
  const missing = ['conversation_id', 'event_id', 'occurred_at', 'agent', ...REQUIRED[event.type]].filter((field) => event[field] === undefined);
  const found = missing.map((field) => `${event.type} without ${field}`);
  if (!UUID.test(event.event_id)) found.push(`event_id ${event.event_id} is not a UUID`);
  if (Number.isNaN(Date.parse(event.occurred_at))) found.push(`occurred_at ${event.occurred_at} is not a time`);
  if (event.type === 'task_finished' && !OUTCOMES.has(event.outcome)) found.push(`outcome ${event.outcome}`);
  for (const [kind, value] of Object.entries(event.usage ?? {})) {
    if (!Number.isInteger(value) || value < 0) found.push(`usage.${kind} is ${value}`);
  }
  if (event.usage?.reasoning > event.usage?.output) found.push('reasoning is more than the output that contains it');
  if (event.provider === 'openai' && event.usage.cache_read > event.usage.input) found.push('cached is more than the input that contains it');
  return found;
}

for (const name of names) {
  const text = readFileSync(new URL(name, folder), 'utf8');
  total += Buffer.byteLength(text);
  const counts = {};
  const conversations = new Map();
  const lines = text.trimEnd().split('\n');
  for (const [index, line] of lines.entries()) {
    const fault = (number, what) => faults.push(`${name}:${number}: ${what}`);
    let event;
    try {
      event = JSON.parse(line);
    } catch (failure) {
      fault(index + 1, `not JSON: ${failure.message}`);
      continue;
    }
    for (const what of eventFaults(event)) fault(index + 1, what);
    if (seenIds.has(event.event_id)) fault(index + 1, `event_id ${event.event_id} is used twice`);
    seenIds.add(event.event_id);
    counts[event.type] = (counts[event.type] ?? 0) + 1;
    if (!conversations.has(event.conversation_id)) conversations.set(event.conversation_id, conversationRules(fault));
    conversations.get(event.conversation_id).take(event, index + 1);
  }
  for (const rules of conversations.values()) rules.end(lines.length);
  const messages = (counts.message ?? 0) + (counts.tool_call ?? 0) + (counts.tool_result ?? 0);
  const isRuns = name.startsWith('runs-');
  if (!isRuns && (messages < MESSAGES.least || messages > MESSAGES.most)) faults.push(`${name}: ${messages} messages`);
  if (isRuns && messages > 0) faults.push(`${name}: runs hold tasks and steps only`);
  rows.push({ file: name, messages, steps: counts.step ?? 0, events: lines.length, KB: Math.round(Buffer.byteLength(text) / 1024) });
}
if (names.length === 0) faults.push('samples/: no .jsonl file; run node samples/generate.mjs');
if (total > TOTAL_LIMIT) faults.push(`samples/: ${total} bytes, over ${TOTAL_LIMIT}`);

console.table(rows);
console.log(`${names.length} files, ${seenIds.size} events, ${Math.round(total / 1024)} KB`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

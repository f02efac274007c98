import { parseJson } from '@palimpsest/events';
import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { listOf, numberOf, objectOf, textOf } from './json-values.js';
import { readOpenAiMessages } from './openai-messages.js';
import type { ConversationReader } from './split-conversations.js';

type Members = Record<string, unknown>;

/**
 * SWE-agent's trajectories (.traj). `history` is what the model saw, demonstrations included: with `tool_calls` it reads
 * as calls and results, of older ones without as plain messages. Steps of `trajectory` past the end of the history (the
 * last submit) follow it. `info.model_stats` becomes one step for the whole run, `info.exit_status` the task's outcome.
 */
export const sweAgentReader: ConversationReader = {
  format: 'swe-agent',
  expected: 'a trajectory {"history": [{"role", "content", …}], "trajectory": […], "info": {…}}',
  isConversation: (value) => {
    const record = objectOf(value);
    return listOf(record?.history) !== undefined || listOf(record?.trajectory) !== undefined;
  },
  read: readSweAgent,
};

function* readSweAgent(value: unknown, conversation: Conversation): Generator<ImportItem> {
  const record = objectOf(value) ?? {};
  const history = listOf(record.history) ?? [];
  const messages = [
    ...history.flatMap(messagesOfEntry),
    ...stepsAfter(history, listOf(record.trajectory) ?? []),
  ];
  if (messages.length === 0) return;
  const info = objectOf(record.info) ?? {};
  const exitStatus = textOf(info.exit_status);
  const task = { task_id: conversation.id };
  if (exitStatus !== undefined) {
    yield conversation.event(WHOLE, 'task_started', { type: 'task_started', ...task });
  }
  yield* readOpenAiMessages(messages, conversation, {
    fieldsOf: (message) => (textOf(message.agent) === undefined ? {} : { agent: message.agent }),
  });
  yield* readModelStats(record, conversation);
  if (exitStatus !== undefined) {
    // "submitted (exit_cost)" is a patch taken from an agent that ran out of means: not done
    const outcome = exitStatus.trim() === 'submitted' ? 'completed' : 'failed';
    yield conversation.event(WHOLE, 'task_finished', { type: 'task_finished', ...task, outcome });
  }
}

/** A result may name several calls: the first gets the observation, each other an empty result, so that all are closed. */
function messagesOfEntry(entry: unknown): unknown[] {
  const message = objectOf(entry);
  const ids = listOf(message?.tool_call_ids) ?? [];
  if (message?.role !== 'tool' || ids.length === 0) return [entry];
  const results = [];
  for (const [place, id] of ids.entries()) {
    results.push({ ...message, tool_call_id: id, content: place === 0 ? message.content : '' });
  }
  return results;
}

/** Steps that the history does not hold: all without a history, else those after its last answer. */
function stepsAfter(history: readonly unknown[], trajectory: readonly unknown[]): unknown[] {
  const answers = history.map(objectOf).filter((m) => m?.role === 'assistant' && m.is_demo !== true);
  const last = textOf(answers.at(-1)?.content)?.trim();
  const steps = trajectory.map(objectOf);
  // a history may hold answers that are no steps (a refused format): the last step that it holds is found by its text
  const held = last === undefined ? -1 : steps.findLastIndex((step) => responseOf(step)?.trim() === last);
  const from = held === -1 ? Math.min(answers.length, steps.length) : held + 1;
  const after: unknown[] = [];
  for (const step of steps.slice(from)) {
    after.push({ role: 'assistant', content: responseOf(step) });
    const observation = textOf(step?.observation);
    if (observation !== undefined) after.push({ role: 'user', content: observation });
  }
  return after;
}

function responseOf(step: Members | undefined): string | undefined {
  return textOf(step?.response) ?? textOf(step?.thought) ?? textOf(step?.action);
}

/** Tokens of all calls together: the file does not say them by call. */
function* readModelStats(record: Members, conversation: Conversation): Generator<ImportItem> {
  const stats = objectOf(objectOf(record.info)?.model_stats);
  if (stats === undefined) return;
  const input = numberOf(stats.tokens_sent) ?? 0;
  const output = numberOf(stats.tokens_received) ?? 0;
  if (input === 0 && output === 0) return;
  if (![input, output].every((count) => Number.isSafeInteger(count) && count >= 0)) {
    yield conversation.skipped(WHOLE, 'the model_stats are not sound');
    return;
  }
  yield conversation.event(WHOLE, 'step', {
    type: 'step',
    task_id: conversation.id,
    step_index: 0,
    provider: 'unknown',
    model: modelOf(record) ?? 'unknown',
    usage: { input, output },
  });
}

/** The configuration of the run, which newer files hold as an object and some as its JSON text. */
function modelOf(record: Members): string | undefined {
  let config: unknown = record.replay_config;
  if (typeof config === 'string') {
    try {
      config = parseJson(config);
    } catch {
      return undefined;
    }
  }
  return textOf(objectOf(objectOf(objectOf(config)?.agent)?.model)?.name);
}

import { WHOLE, type Conversation } from './conversation.js';
import type { ImportItem } from './import-item.js';
import { numberOf, objectOf } from './json-values.js';
import { readOpenAiMessages } from './openai-messages.js';
import type { ConversationReader } from './split-conversations.js';
import { readTranscript } from './tau-bench-transcript.js';

/**
 * tau-bench's two kinds of files: historical trajectories, a list of `{task_id, reward, info, traj, trial}`, and few-shot
 * transcripts, lines of `{messages_display}`. Of `info` nothing is imported: it holds the task's right answer, which
 * must not become memory.
 */
export const tauBenchReader: ConversationReader = {
  format: 'tau-bench',
  expected:
    'trajectories [{"task_id", "reward", "traj": […], "trial"}] or few-shot lines {"messages_display": "user: …"}',
  isConversation: (value) => trajectoryOf(value) !== undefined || transcriptOf(value) !== undefined,
  path: pathOf,
  read: readTauBench,
};

function* readTauBench(value: unknown, conversation: Conversation): Generator<ImportItem> {
  const transcript = transcriptOf(value);
  if (transcript !== undefined) {
    yield* readTranscript(transcript, conversation);
    return;
  }
  const record = objectOf(value) ?? {};
  const messages = trajectoryOf(value) ?? [];
  if (messages.length === 0) return;
  const task = { task_id: conversation.id };
  yield conversation.event(WHOLE, 'task_started', { type: 'task_started', ...task });
  yield* readOpenAiMessages(messages, conversation);
  const reward = numberOf(record.reward);
  if (reward === undefined) {
    yield conversation.skipped(WHOLE, 'the task has no reward, so no outcome');
    return;
  }
  // a reward below 1 is a task not done: tau-bench gives no part marks
  const outcome = reward >= 1 ? 'completed' : 'failed';
  yield conversation.event(WHOLE, 'task_finished', { type: 'task_finished', ...task, outcome });
}

function pathOf(value: unknown): readonly string[] | undefined {
  const record = objectOf(value);
  const task = record?.task_id;
  if (typeof task !== 'number' && typeof task !== 'string') return undefined;
  const trial = record?.trial;
  const told = typeof trial === 'number' || typeof trial === 'string';
  return told ? [`task-${task}`, `trial-${trial}`] : [`task-${task}`];
}

function trajectoryOf(value: unknown): unknown[] | undefined {
  const trajectory = objectOf(value)?.traj;
  return Array.isArray(trajectory) ? trajectory : undefined;
}

function transcriptOf(value: unknown): string | undefined {
  const transcript = objectOf(value)?.messages_display;
  return typeof transcript === 'string' ? transcript : undefined;
}

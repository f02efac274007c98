import type { EventType, PalimpsestEvent } from './event.js';

/** The topics of the log. Dead letters of a topic lie on `<topic>.dead-letters`. */
export const TOPICS = {
  messages: 'chat.messages',
  derivations: 'context.derivations',
  steps: 'agent.steps',
  tasks: 'agent.tasks',
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

export function deadLetterTopic(topic: string): string {
  return `${topic}.dead-letters`;
}

const TOPIC_BY_TYPE: Partial<Record<EventType, Topic>> = {
  summary_made: TOPICS.derivations,
  facts_made: TOPICS.derivations,
  step: TOPICS.steps,
  task_started: TOPICS.tasks,
  task_finished: TOPICS.tasks,
};

export function topicOf(type: EventType): Topic {
  return TOPIC_BY_TYPE[type] ?? TOPICS.messages;
}

/**
 * The record key, which decides the partition: tenant and conversation, for steps and tasks tenant and task.
 * Both halves are percent-encoded, so no id can reach into another tenant's keys. Lone surrogates count as U+FFFD,
 * which they become in the log.
 */
export function keyOf(event: PalimpsestEvent): string {
  const topic = topicOf(event.type);
  // Maintenance of no task has an empty one: by conversation it does not all meet in one partition.
  const ofTask = topic === TOPICS.steps || topic === TOPICS.tasks ? (event.task_id ?? '') : '';
  const second = ofTask === '' ? event.conversation_id : ofTask;
  return `${encodeURIComponent(event.tenant.toWellFormed())}/${encodeURIComponent(second.toWellFormed())}`;
}

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventType } from './event.js';
import { topicOf } from './topics.js';

/** Every event type, in the order of event.ts; one file of `schemas/avro` each. */
export const EVENT_TYPES = [
  'message',
  'tool_call',
  'tool_result',
  'pin',
  'unpin',
  'correction',
  'state_patch',
  'tools_declared',
  'phase',
  'conversation_settings',
  'erasure_requested',
  'step',
  'task_started',
  'task_finished',
  'summary_made',
  'facts_made',
] as const satisfies readonly EventType[];

/** The Avro schema text of an event type, as it lies in `schemas/avro`. */
export function schemaText(type: EventType): string {
  return readFileSync(join(schemaFolder(), `${type.replaceAll('_', '-')}.avsc`), 'utf8');
}

/** Full name of the Avro record of an event type: `palimpsest.ToolCall`. */
export function recordName(type: EventType): string {
  const camel = type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `palimpsest.${camel}`;
}

/** Registry subject of an event type: topic and record name, so that one topic carries many record types. */
export function subjectOf(type: EventType): string {
  return `${topicOf(type)}-${recordName(type)}`;
}

function schemaFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < 8; depth += 1) {
    const candidate = join(folder, 'schemas', 'avro');
    if (existsSync(candidate)) return candidate;
    folder = dirname(folder);
  }
  throw new Error('schemas/avro was not found above the events package: the installation is incomplete.');
}

import type { ExtractedFact } from '@palimpsest/events';
import { Ajv } from 'ajv';
import { storableText } from '../storable-text.js';

/** What the model is asked for. `message` is the number of the source message, not its id: numbers are copied right. */
export const FACTS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['facts'],
  properties: {
    facts: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['fact_type', 'actor', 'subject', 'payload', 'valid_from', 'valid_until', 'message'],
        properties: {
          fact_type: {
            type: 'string',
            enum: ['promise', 'deadline', 'rejection', 'preference', 'detail', 'date'],
          },
          actor: { type: 'string', enum: ['client', 'agent', 'unknown'] },
          subject: { type: 'string', minLength: 1, maxLength: 200 },
          payload: { type: 'string', minLength: 1, maxLength: 2000 },
          valid_from: { type: ['string', 'null'] },
          valid_until: { type: ['string', 'null'] },
          message: { type: 'integer', minimum: 1 },
        },
      },
    },
  },
} as const;

interface AnsweredFact {
  fact_type: string;
  actor: ExtractedFact['actor'];
  subject: string;
  payload: string;
  valid_from?: string | null;
  valid_until?: string | null;
  message: number;
}

// Sent strict; read a little wider: weak models leave out what is null and add keys nobody asked for.
const readable = {
  ...FACTS_SCHEMA,
  additionalProperties: true,
  properties: {
    facts: {
      ...FACTS_SCHEMA.properties.facts,
      items: {
        ...FACTS_SCHEMA.properties.facts.items,
        additionalProperties: true,
        required: ['fact_type', 'actor', 'subject', 'payload', 'message'],
      },
    },
  },
};
const ajv = new Ajv({ allErrors: false, strict: false });
const validate = ajv.compile<{ facts: AnsweredFact[] }>(readable);

/** Whether a value has the shape of an answer with facts. */
export function isFactsShape(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Array.isArray((value as { facts?: unknown }).facts);
}

/** The facts of a parsed answer; a string says what is wrong with it, for the reminder and for a person. */
export function readFactsAnswer(value: unknown, sources: readonly string[]): ExtractedFact[] | string {
  if (!validate(value)) return ajv.errorsText(validate.errors, { dataVar: 'answer' });
  const facts: ExtractedFact[] = [];
  for (const fact of value.facts) {
    const source = sources[fact.message - 1];
    if (source === undefined) return `answer names message ${fact.message}, of ${sources.length}`;
    facts.push({
      fact_type: fact.fact_type,
      actor: fact.actor,
      subject: storableText(fact.subject).trim(),
      payload: storableText(fact.payload).trim(),
      valid_from: timeOf(fact.valid_from),
      valid_until: timeOf(fact.valid_until),
      source_id: source,
    });
  }
  return facts;
}

/** ISO 8601 to milliseconds; a date alone is that day in UTC. What is no date is no validity. */
function timeOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined || !/^\d{4}-\d{2}-\d{2}/u.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

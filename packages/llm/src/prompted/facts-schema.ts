import type { ExtractedFact } from '@palimpsest/events';
import { Ajv } from 'ajv';
import { storableText } from '../storable-text.js';
import { offsetMinutes } from '../zone-offset.js';

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

const BOUNDS = new Set(['maxItems', 'minLength', 'maxLength', 'minimum']);

/**
 * The schema as endpoints that enforce one take it: without bounds, which strict modes of OpenAI and Anthropic refuse.
 * What they do not hold is validated here.
 */
export const FACTS_WIRE_SCHEMA: object = withoutBounds(FACTS_SCHEMA) as object;

function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => !BOUNDS.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutBounds(value)]));
}

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

/**
 * The facts of a parsed answer; a string says what is wrong with it, for the reminder and for a person. Dates without
 * a time are days in `timeZone` (IANA; null = UTC).
 */
export function readFactsAnswer(
  value: unknown,
  sources: readonly string[],
  timeZone: string | null = null,
): ExtractedFact[] | string {
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
      valid_from: timeOf(fact.valid_from, 'start', timeZone),
      valid_until: timeOf(fact.valid_until, 'end', timeZone),
      source_id: source,
    });
  }
  return facts;
}

/**
 * ISO 8601 to milliseconds. A date alone is the start or the end of that day, a time without an offset is the wall
 * clock's, both in the conversation's zone. What is no date is no validity.
 */
function timeOf(
  text: string | null | undefined,
  edge: 'start' | 'end',
  timeZone: string | null,
): number | null {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/iu.exec(
      text?.trim() ?? '',
    );
  if (match === null) return null;
  const [, day, clock, offset] = match;
  const wall = Date.parse(`${day}T${clock ?? (edge === 'start' ? '00:00' : '23:59:59.999')}Z`);
  if (Number.isNaN(wall)) return null;
  if (offset !== undefined && clock !== undefined) {
    const time = Date.parse(`${day}T${clock}${offset.toUpperCase()}`);
    return Number.isNaN(time) ? null : time;
  }
  return wall - offsetMinutes(wall - offsetMinutes(wall, timeZone) * 60_000, timeZone) * 60_000;
}

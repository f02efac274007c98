import { ModelCallError } from '../model-errors.js';
import { FACTS_SCHEMA } from './facts-schema.js';

/** Ways to ask for JSON, best first. Each answer is validated, whatever the way. */
export const RUNGS = ['json_schema', 'json_object', 'prompt'] as const;
export type Rung = (typeof RUNGS)[number];

export function responseFormat(rung: Rung): Record<string, unknown> {
  if (rung === 'json_schema') {
    const json_schema = { name: 'facts', strict: true, schema: FACTS_SCHEMA };
    return { response_format: { type: 'json_schema', json_schema } };
  }
  // `schema` beside json_object is what llama.cpp enforces; others ignore it.
  if (rung === 'json_object') return { response_format: { type: 'json_object', schema: FACTS_SCHEMA } };
  return {};
}

/**
 * Whether an error says that this rung is not served here: a 400, 404, 415, 422 or 501, or a 5xx that speaks of the
 * format (a real llama.cpp server answers 500 to `json_schema`). A bare 5xx is a fault like any other.
 */
export function isUnsupported(error: unknown): boolean {
  return (
    error instanceof ModelCallError && error.status !== null && saysUnsupported(error.status, error.message)
  );
}

export function saysUnsupported(status: number, text: string): boolean {
  if (status === 501 || status === 415 || status === 422) return true;
  const speaks = /response_format|json_schema|json_object|json mode|grammar|schema|structured/iu.test(text);
  return speaks && (status === 400 || status === 404 || status >= 500);
}

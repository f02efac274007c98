import { createHash } from 'node:crypto';
import type { SourceMessage } from './language-model.js';

/**
 * Hash of the source of a derivation: equal for equal text by the same speakers in the same order, language and
 * time zone. Independent of the generation, the model and the prompt, so a replay finds what was already paid for.
 */
export function inputHash(source: {
  messages: readonly SourceMessage[];
  language: string | null;
  timeZone?: string | null;
}): string {
  const messages = source.messages.map((m) => [m.id, m.kind, m.role, m.tool, m.text, m.at]);
  return hashOf([messages, source.language, source.timeZone ?? null]);
}

/** Hash of anything JSON can hold; arrays only, so that no key order is involved. */
export function hashOf(value: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

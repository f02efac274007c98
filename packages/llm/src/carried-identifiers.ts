import { identifiersOf } from './identifiers.js';
import type { SourceMessage } from './language-model.js';

/** Most identifiers a summary carries beside its text: about 400 tokens. */
export const CARRIED_LIMIT = 40;
const LONGEST = 80;

/**
 * Identifiers of the source that `text` lost, as written there. What people said comes before what tools returned
 * when the limit is short; a long identifier (over 80 characters) is left to the artifact it came from.
 */
export function carriedIdentifiers(
  messages: readonly SourceMessage[],
  text: string,
  limit: number = CARRIED_LIMIT,
): string[] {
  const spoken = messages.filter((message) => message.kind === 'message');
  const tools = messages.filter((message) => message.kind !== 'message');
  const carried = new Set<string>();
  for (const message of [...spoken, ...tools]) {
    for (const identifier of identifiersOf(message.text)) {
      if (carried.size >= limit) return [...carried];
      if (identifier.length <= LONGEST && !text.includes(identifier)) carried.add(identifier);
    }
  }
  return [...carried];
}

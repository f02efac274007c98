import { identifiersOf } from '@palimpsest/strategy';
import { ordersTheAgent } from '../grounding/orders-to-the-agent.js';
import { contentWords, indexWords, normalWords } from '../grounding/words.js';
import { isInAnotherLanguage, surelyWrittenIn } from '../grounding/written-language.js';
import type { SummarizeRequest } from '../language-model.js';
import type { UnusableReason } from '../model-errors.js';

/**
 * What makes a text unfit to be the memory of its source, or null: it repeats the prompt, is JSON, is in another language,
 * speaks to the agent instead of about the conversation, or shares not one word with it. Whether it is true cannot be
 * seen from here; identifiers it lost are carried beside it.
 */
export function whatIsWrong(
  text: string,
  instructions: string,
  request: SummarizeRequest,
): { reason: UnusableReason; why: string } | null {
  const source = request.messages.map((message) => message.text).join('\n');
  if (repeatsPrompt(text, instructions)) return { reason: 'prompt_echo', why: 'it repeats the prompt' };
  if (JSON_ONLY.test(text)) return { reason: 'wrong_shape', why: 'it is JSON instead of plain text' };
  if (ordersTheAgent(text))
    return { reason: 'instructions', why: 'it gives orders to the agent instead of a summary' };
  if (isInAnotherLanguage(text, source, request.language))
    return { reason: 'wrong_language', why: 'it is not in the language of the conversation' };
  if (!isOfSource(text, source, request.language))
    return { reason: 'not_of_source', why: 'it has nothing to do with the conversation' };
  return null;
}

const JSON_ONLY = /^(?:```\w*\s*)?(?:\{[\s\S]*\}|\[[\s\S]*\])\s*(?:```|$)/u;

/** Words in a row that no summary shares with its instructions by chance. */
const ECHO_WORDS = 9;

/** Whether an answer gives back a part of its instructions, or the source as it was laid out. */
export function repeatsPrompt(text: string, instructions: string): boolean {
  if (/<\/?conversation>|^\[\d+\] (?:user|assistant|tool_call|tool_result|unknown)\b/imu.test(text))
    return true;
  const said = ` ${normalWords(text).join(' ')} `;
  const prompt = normalWords(instructions);
  for (let at = 0; at + ECHO_WORDS <= prompt.length; at += 1) {
    if (said.includes(` ${prompt.slice(at, at + ECHO_WORDS).join(' ')} `)) return true;
  }
  return false;
}

function isOfSource(text: string, source: string, language: string | null): boolean {
  if (identifiersOf(text).some((identifier) => source.includes(identifier))) return true;
  const wanted = language?.toLowerCase().split(/[-_]/u)[0];
  const from = surelyWrittenIn(source);
  // A translation shares names at most.
  if (wanted !== undefined && from !== null && wanted !== from) return true;
  const index = indexWords(normalWords(source));
  return contentWords(text).some((word) => index.has(word));
}

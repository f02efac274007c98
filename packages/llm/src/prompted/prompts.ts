import type { FactsRequest, SourceMessage, SummarizeRequest } from '../language-model.js';
import { FACTS_SCHEMA } from './facts-schema.js';

export interface ChatPrompt {
  system: string;
  user: string;
}

/** Shown where the endpoint enforces no schema, and with a reminder. */
export const FACTS_SCHEMA_TEXT = `The answer must match this JSON Schema:\n${JSON.stringify(FACTS_SCHEMA)}`;

export function summaryPrompt(instructions: string, request: SummarizeRequest): ChatPrompt {
  const language =
    request.language === null ? "the conversation's own language" : `the language "${request.language}"`;
  const system = `${instructions}\nWrite in ${language}, at most ${request.maxTokens} tokens (about ${Math.floor(request.maxTokens / 2)} words).`;
  const parts = [transcript(request.messages)];
  if (request.reminder !== undefined)
    parts.push(`Your last answer could not be used: ${request.reminder}. Write the summary again.`);
  if (request.tooLong !== undefined)
    parts.push(
      `This summary of it is too long. Write it again, within the limit:\n<summary>\n${request.tooLong}\n</summary>`,
    );
  return { system, user: parts.join('\n\n') };
}

export function factsPrompt(instructions: string, request: FactsRequest, withSchema: boolean): ChatPrompt {
  const parts = [instructions, `Time zone of the conversation: ${request.timeZone ?? 'UTC'}.`];
  if (withSchema || request.reminder !== undefined) parts.push(FACTS_SCHEMA_TEXT);
  const source = transcript(request.messages);
  const reminder =
    request.reminder === undefined
      ? ''
      : `\n\nYour last answer could not be used: ${request.reminder}. Answer again, with JSON only, matching the schema.`;
  return { system: parts.join('\n'), user: source + reminder };
}

/** The source, numbered from 1, with the speaker and time of each; a closing tag inside a text is made harmless. */
function transcript(messages: readonly SourceMessage[]): string {
  const lines = messages.map((message, at) => {
    const speaker =
      message.kind === 'message'
        ? (message.role ?? 'unknown')
        : `${message.kind} ${message.tool ?? ''}`.trim();
    const text = message.text.replace(/<(\/?\s*conversation\s*)>/giu, '<\\$1>');
    return `[${at + 1}] ${speaker} (${new Date(message.at).toISOString()}): ${text}`;
  });
  return `<conversation>\n${lines.join('\n')}\n</conversation>`;
}

import { ModelCallError } from '../model-errors.js';
import type { ChatProtocol, Rung } from '../prompted/chat-protocol.js';
import { FACTS_WIRE_SCHEMA, isFactsShape } from '../prompted/facts-schema.js';
import { parseJsonAnswer } from '../prompted/parse-json-answer.js';
import { readPromptBook } from '../prompted/prompt-book.js';
import { factsPrompt } from '../prompted/prompts.js';
import { SAMPLE_CONVERSATIONS } from './sample-conversations.js';

export interface RungProbe {
  rung: Rung;
  /** `held`: JSON of the shape; `ignored`: an answer of another shape; `refused`: an error. */
  result: 'held' | 'ignored' | 'refused';
  /** What came instead. */
  detail: string;
}

/** Tries every rung of the ladder once, on the English sample, without falling back. */
export async function probeStructuredOutput(
  protocol: ChatProtocol,
  signal: AbortSignal,
): Promise<RungProbe[]> {
  const instructions = readPromptBook().instructions('facts', {});
  const messages = SAMPLE_CONVERSATIONS[0]?.messages ?? [];
  const request = { messages, language: null, timeZone: null, maxTokens: 1000 };
  const probes: RungProbe[] = [];
  for (const rung of protocol.rungs) {
    const prompt = factsPrompt(instructions, request, rung !== 'json_schema');
    const json = { rung, name: 'facts', schema: FACTS_WIRE_SCHEMA };
    try {
      const answer = await protocol.complete({ ...prompt, maxTokens: request.maxTokens, json }, signal);
      const parsed = parseJsonAnswer(answer.text, isFactsShape);
      const held = parsed.ok && isFactsShape(parsed.value);
      const why = parsed.ok ? 'JSON of another shape' : parsed.why;
      probes.push({
        rung,
        result: held ? 'held' : 'ignored',
        detail: held ? '' : `${why}: ${answer.text.slice(0, 80)}`,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelCallError)) throw error;
      probes.push({ rung, result: 'refused', detail: error.message });
    }
  }
  return probes;
}

import { ModelCallError } from '../model-errors.js';
import type { ChatAsk, ChatProtocol, Completion, Rung } from './chat-protocol.js';

export interface Ladder {
  /** The best rung not known to be missing. */
  rung(): Rung;
  /** Asks on the best rung, stepping down for good where the endpoint does not serve it. */
  ask(askOn: (rung: Rung) => ChatAsk, signal: AbortSignal): Promise<{ completion: Completion; rung: Rung }>;
}

/**
 * The ladder of structured output, found by probing: the first request on a rung that is refused as not served moves
 * down, once and for all calls of this process. Only a refusal moves it, never a fault or a bad answer.
 */
export function createLadder(protocol: ChatProtocol): Ladder {
  let at = 0;
  const rung = (): Rung => protocol.rungs[at] ?? 'prompt';
  return {
    rung,
    async ask(askOn, signal) {
      for (;;) {
        const asked = at;
        const on = rung();
        try {
          return { completion: await protocol.complete(askOn(on), signal), rung: on };
        } catch (error) {
          if (on === 'prompt' || !isUnsupported(error)) throw error;
          at = Math.max(at, asked + 1);
        }
      }
    },
  };
}

/**
 * Whether an error says that this way is not served here: 415, 422 or 501, or a 400, 404 or 5xx that speaks of the
 * format (a real llama.cpp server answers 500 to `json_schema`). A bare 5xx is a fault like any other.
 */
function isUnsupported(error: unknown): boolean {
  return (
    error instanceof ModelCallError && error.status !== null && saysUnsupported(error.status, error.message)
  );
}

export function saysUnsupported(status: number, text: string): boolean {
  if (status === 501 || status === 415 || status === 422) return true;
  const speaks =
    /response_format|output_config|output_format|json_schema|json_object|json mode|grammar|schema|structured|tool_choice|\btools?\b|function.?call/iu.test(
      text,
    );
  return speaks && (status === 400 || status === 404 || status >= 500);
}

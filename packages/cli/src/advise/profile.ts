import type { ChatEvent } from '@palimpsest/events';
import { tokenCounter } from '@palimpsest/tokens';

/** What of a conversation, or of a kind of them, decides which strategy serves it. */
export interface Profile {
  /** Messages of people and of the assistant. */
  messages: number;
  /** Tool calls. */
  calls: number;
  /** Tokens of the mean result, and of everything. */
  result_tokens: number;
  total_tokens: number;
  /** Answers of the assistant of 300 tokens and more. */
  long_answers: number;
  /** The agent keeps a working state, phases, or declares its tools. */
  has_state: boolean;
  /** What is promised and agreed must be told apart and expire: correspondence, sales, support. */
  wants_facts: boolean;
  /** Tokens of one call. */
  budget: number;
}

export const DEFAULT_PROFILE: Profile = {
  messages: 20,
  calls: 0,
  result_tokens: 0,
  total_tokens: 4000,
  long_answers: 0,
  has_state: false,
  wants_facts: false,
  budget: 8000,
};

const LONG_ANSWER = 300;

/** The profile of a recorded conversation. Whether facts matter is guessed from who speaks: nobody calls tools for them. */
export function profileOf(events: readonly ChatEvent[], budget: number): Profile {
  const counter = tokenCounter(null);
  const profile: Profile = { ...DEFAULT_PROFILE, messages: 0, total_tokens: 0, budget };
  let results = 0;
  let resultTokens = 0;
  for (const event of events) {
    if (event.type === 'state_patch' || event.type === 'phase' || event.type === 'tools_declared') {
      profile.has_state = true;
    } else if (event.type === 'tool_call') {
      profile.calls += 1;
      profile.total_tokens += counter.count(event.arguments);
    } else if (event.type === 'message' || event.type === 'tool_result') {
      const tokens = event.content.reduce((sum, part) => sum + counter.count(part.text ?? ''), 0);
      profile.total_tokens += tokens;
      if (event.type === 'tool_result') {
        results += 1;
        resultTokens += tokens;
      } else {
        profile.messages += 1;
        if (event.role === 'assistant' && tokens >= LONG_ANSWER) profile.long_answers += 1;
      }
    }
  }
  profile.result_tokens = results === 0 ? 0 : Math.round(resultTokens / results);
  profile.wants_facts = profile.messages > 2 * profile.calls && profile.messages >= 30;
  return profile;
}

/** A profile from answers such as `calls=40`, `has_state=yes`. Throws an error that lists what can be answered. */
export function profileFromAnswers(answers: readonly string[]): Profile {
  const profile: Profile = { ...DEFAULT_PROFILE };
  for (const answer of answers) {
    const [name = '', value = ''] = answer.split('=', 2);
    const known = (profile as unknown as Record<string, number | boolean>)[name];
    if (known === undefined || !Object.hasOwn(profile, name)) {
      throw new Error(`"${name}" is no question. Answer any of: ${questions()}.`);
    }
    const read = typeof known === 'boolean' ? readYesNo(value) : readCount(value);
    if (read === null) {
      throw new Error(`"${answer}": give ${typeof known === 'boolean' ? 'yes or no' : 'a whole number'}.`);
    }
    Object.assign(profile, { [name]: read });
  }
  return profile;
}

/** The questions with what is assumed where they are not answered. */
export function questions(): string {
  return Object.entries(DEFAULT_PROFILE)
    .map(([name, value]) => `${name}=${typeof value === 'boolean' ? 'no' : String(value)}`)
    .join(', ');
}

function readYesNo(text: string): boolean | null {
  if (/^(yes|true|y|1)$/i.test(text)) return true;
  return /^(no|false|n|0)$/i.test(text) ? false : null;
}

function readCount(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

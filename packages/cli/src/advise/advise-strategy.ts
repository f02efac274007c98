import type { Profile } from './profile.js';

export interface Advice {
  strategy: string;
  /** Why this one, in the figures of the profile. */
  because: string[];
  /** What to set, or to look at, beside it. */
  also: string[];
}

/** Results of this many tokens are worth a slot and a handle of their own. */
const LARGE_RESULT = 1000;
const MANY_CALLS = 10;
const LONG_TALK = 30;

/** Which shipped strategy serves a conversation of this profile. The first reason that holds decides. */
export function adviseStrategy(profile: Profile): Advice {
  const { messages, calls, result_tokens, total_tokens, budget, long_answers } = profile;
  const also: string[] = [];
  if (budget < 2000)
    also.push('A budget below 2,000 tokens leaves little beside the rules and the newest message.');
  if (total_tokens <= budget) {
    return {
      strategy: 'default',
      because: [`all ${total_tokens} tokens fit into ${budget}: the conversation is sent as it is`],
      also,
    };
  }
  if (calls >= MANY_CALLS && (profile.has_state || result_tokens >= LARGE_RESULT)) {
    if (profile.has_state) also.push('Send "phase" events: tools of other phases are not sent along.');
    else
      also.push(
        'Declare tools and patch a working state: both have a slot, and a resume point after a crash.',
      );
    return {
      strategy: 'budgeted-slots',
      because: [
        `${calls} calls with results of ${result_tokens} tokens: older ones keep a handle, the newest their text`,
        ...(profile.has_state ? ['it keeps a working state or declares tools'] : []),
      ],
      also: [...also, 'Rules above 3,000 tokens are refused: "palimpsest strategies show budgeted-slots".'],
    };
  }
  if (profile.wants_facts) {
    return {
      strategy: 'secretary',
      because: [
        `${messages} messages of people: what was promised and agreed outlives the words`,
        ...(long_answers > 0 ? [`${long_answers} long answers: the last two stay word for word`] : []),
      ],
      also: [...also, 'Name a model (PALIMPSEST_MODEL_URL): facts are made by it.'],
    };
  }
  if (calls >= MANY_CALLS) {
    return {
      strategy: 'three-tier',
      because: [`${calls} calls with short results: cut by type, then a window, then a rolling summary`],
      also,
    };
  }
  if (messages >= LONG_TALK) {
    return {
      strategy: 'adaptive',
      because: [`${messages} messages and few calls: what weighs most stays, whatever its age`],
      also: [...also, 'Ask with "query": what was said long ago is recalled.'],
    };
  }
  return {
    strategy: 'default',
    because: [
      `${messages} messages, ${calls} calls: nothing calls for more than the newest messages and memory`,
    ],
    also,
  };
}

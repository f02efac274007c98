import { describe, expect, it } from 'vitest';
import { History } from '../../../../test/harness/history.js';
import { adviseStrategy } from './advise-strategy.js';
import { DEFAULT_PROFILE, type Profile, profileFromAnswers, profileOf } from './profile.js';

const adviceFor = (given: Partial<Profile>): string =>
  adviseStrategy({ ...DEFAULT_PROFILE, total_tokens: 50_000, ...given }).strategy;

describe('advice', () => {
  it('is to send everything while it fits', () => {
    expect(adviceFor({ total_tokens: 7000, calls: 50, has_state: true })).toBe('default');
  });

  it('is slots for an agent of many calls with large results or a state', () => {
    expect(adviceFor({ calls: 35, result_tokens: 4000 })).toBe('budgeted-slots');
    expect(adviceFor({ calls: 35, has_state: true })).toBe('budgeted-slots');
  });

  it('is the secretary for correspondence, three tiers for short results, weights for long talk', () => {
    expect(adviceFor({ messages: 80, wants_facts: true })).toBe('secretary');
    expect(adviceFor({ calls: 35, result_tokens: 100 })).toBe('three-tier');
    expect(adviceFor({ messages: 80 })).toBe('adaptive');
    expect(adviceFor({ messages: 8 })).toBe('default');
  });

  it('always gives a reason', () => {
    expect(adviseStrategy(DEFAULT_PROFILE).because[0]).toMatch(/all 4000 tokens fit into 8000/);
  });
});

describe('a profile', () => {
  it('is read from answers, and says which questions there are', () => {
    expect(profileFromAnswers(['calls=40', 'has_state=yes'])).toMatchObject({
      calls: 40,
      has_state: true,
      messages: 20,
    });
    expect(() => profileFromAnswers(['size=3'])).toThrow(/"size" is no question.*messages=20, calls=0/);
    expect(() => profileFromAnswers(['calls=many'])).toThrow(/give a whole number/);
    expect(() => profileFromAnswers(['has_state=perhaps'])).toThrow(/give yes or no/);
    expect(() => profileFromAnswers(['toString=1'])).toThrow(/is no question/);
  });

  it('is taken from a recorded conversation', () => {
    const history = new History();
    history.tools([]);
    for (let n = 0; n < 12; n += 1) {
      history.call(`c${n}`, 'fetch', '{}');
      history.result(`c${n}`, 'word '.repeat(2000));
    }
    history.message('assistant', 'word '.repeat(400));
    const profile = profileOf(history.events, 8000);
    expect(profile).toMatchObject({ calls: 12, messages: 1, long_answers: 1, has_state: true });
    expect(profile.result_tokens).toBeGreaterThan(1900);
    expect(adviseStrategy(profile).strategy).toBe('budgeted-slots');
  });
});

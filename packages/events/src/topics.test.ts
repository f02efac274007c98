import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText } from '../test/arbitrary-events.js';
import { sampleEvents } from '../test/sample-events.js';
import type { EventType, PalimpsestEvent } from './event.js';
import { EVENT_TYPES } from './schemas.js';
import { keyOf, TOPICS, topicOf } from './topics.js';

const OF_TASK = new Set<EventType>(['step', 'task_started', 'task_finished']);

/** Ids that try to reach over the border between tenant and id. */
const tricky = fc.oneof(
  keyText,
  fc.string({ unit: fc.constantFrom('/', '%', '2', 'F', 'f', 'a', ' ', '+', '\ufffd'), maxLength: 6 }),
);

describe('the key of an event', () => {
  it.each(EVENT_TYPES)('of %s is shared by no two tenants, and by no two ids of one', (type) => {
    const key = (tenant: string, id: string) =>
      keyOf({ ...sampleEvents[type], tenant, conversation_id: id, task_id: id } as PalimpsestEvent);
    fc.assert(
      fc.property(tricky, tricky, tricky, tricky, (tenant, id, otherTenant, otherId) => {
        const same = tenant === otherTenant && id === otherId;
        expect(key(tenant, id) === key(otherTenant, otherId)).toBe(same);
        // the same characters cut at another place
        const moved = key(`${tenant}/${id}`, otherId) === key(tenant, `${id}/${otherId}`);
        expect(moved).toBe(false);
      }),
      { seed: 20260107, numRuns: 200 },
    );
  });

  it('is that of the task for steps and tasks, else that of the conversation', () => {
    for (const type of EVENT_TYPES) {
      const key = keyOf({ ...sampleEvents[type], conversation_id: 'c', task_id: 't' } as PalimpsestEvent);
      expect([type, key]).toEqual([type, OF_TASK.has(type) ? 'acme/t' : 'acme/c']);
    }
  });

  it('is that of the ids as the log keeps them, lone surrogates and all', () => {
    const [broken, stored] = ['a\ud800', 'a\ufffd'].map((id) =>
      keyOf({ ...sampleEvents.pin, conversation_id: id }),
    );
    expect(broken).toBe(stored);
  });
});

describe('the topic of an event', () => {
  it('is steps, tasks or derivations for those, else messages', () => {
    const topics = Object.fromEntries(EVENT_TYPES.map((type) => [type, topicOf(type)]));
    expect(topics).toMatchObject({
      message: TOPICS.messages,
      erasure_requested: TOPICS.messages,
      step: TOPICS.steps,
      task_started: TOPICS.tasks,
      task_finished: TOPICS.tasks,
      summary_made: TOPICS.derivations,
      facts_made: TOPICS.derivations,
    });
  });
});

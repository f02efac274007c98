import { TOPICS } from '@palimpsest/events';
import type { Candidate } from './candidate.js';

export interface Conflict {
  /** Place of the event in the batch. */
  index: number;
  /** The field that collides. */
  field: 'event_id' | 'seq';
  eventId: string;
  message: string;
}

/** The batch contradicts what was accepted before, or itself. Nothing of it was accepted; a retry will not help. */
export class AcceptConflictError extends Error {
  override name = 'AcceptConflictError';

  constructor(readonly conflicts: readonly Conflict[]) {
    super(
      `Accepting a batch of events met ${conflicts.length} conflict(s), the first at event ` +
        `${conflicts[0]?.eventId}: ${conflicts[0]?.message}. Send it with a new id or seq, or not at all.`,
    );
  }
}

/** Conflicts of a batch with itself: one id with two contents, one place with two ids. */
export function conflictsInside(candidates: readonly Candidate[]): Conflict[] {
  const byId = new Map<string, Candidate>();
  const byPlace = new Map<string, Candidate>();
  const conflicts: Conflict[] = [];
  for (const [index, one] of candidates.entries()) {
    const same = byId.get(one.eventId);
    if (same === undefined) byId.set(one.eventId, one);
    else if (!same.digest.equals(one.digest)) {
      conflicts.push({
        index,
        field: 'event_id',
        eventId: one.eventId,
        message: `event ${one.eventId} stands in this batch twice, with different content`,
      });
    }
    if (one.topic !== TOPICS.messages || one.seq === null) continue;
    const place = JSON.stringify([one.conversationId, String(one.seq)]);
    const holder = byPlace.get(place);
    if (holder === undefined) byPlace.set(place, one);
    else if (holder.eventId !== one.eventId) {
      conflicts.push({
        index,
        field: 'seq',
        eventId: one.eventId,
        message: `seq ${one.seq} of this conversation is taken by event ${holder.eventId} of this batch`,
      });
    }
  }
  return conflicts;
}

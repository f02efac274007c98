import type { PartitionPlace } from './fetch-page.js';
import type { PartitionReader } from './partition-reader.js';
import type { WakeUpConnection } from './wake-up.js';

/** A subscription, as its group sees it. */
export interface Member {
  /** The partitions of all topics it subscribed to. */
  places: readonly PartitionPlace[];
  startReader(place: PartitionPlace): PartitionReader;
}

interface Assignment {
  place: PartitionPlace;
  /** Whether our session holds the partition's lock. */
  locked: boolean;
  owner?: Member | undefined;
  reader?: PartitionReader | undefined;
}

const LOCK_RETRY_MS = 1000;

/**
 * Shares the partitions of one group among its subscriptions in this process, in turn. Against other processes a
 * partition is held by an advisory lock of our listening session: one process owns it, the others try once a second.
 * When the session is lost the locks are lost with it, so all readers stop; checkpoints are fenced besides.
 */
export class ConsumerGroup {
  readonly #name: string;
  readonly #connection: WakeUpConnection;
  readonly #members: Member[] = [];
  readonly #assignments = new Map<string, Assignment>();
  readonly #removeListener: () => void;
  #reconciling: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** `name` is unique among all groups of all logs of the database. */
  constructor(name: string, connection: WakeUpConnection) {
    this.#name = name;
    this.#connection = connection;
    this.#removeListener = connection.onLost(() => this.#lostSession());
  }

  /** Resolves when the partitions have been shared out anew. */
  async join(member: Member): Promise<void> {
    this.#members.push(member);
    for (const place of member.places) {
      const key = `${place.topic}/${place.partition}`;
      if (!this.#assignments.has(key)) this.#assignments.set(key, { place, locked: false });
    }
    await this.#reconcile();
  }

  /** Resolves when none of its handlers runs any more and the others have its partitions. */
  async leave(member: Member): Promise<void> {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.splice(at, 1);
    const mine = [...this.#assignments.values()].filter((assignment) => assignment.owner === member);
    await Promise.all(mine.map((assignment) => assignment.reader?.stop()));
    await this.#reconcile();
  }

  get isEmpty(): boolean {
    return this.#members.length === 0;
  }

  /** For a group that is empty. */
  close(): void {
    clearTimeout(this.#timer);
    this.#removeListener();
  }

  /** One at a time: a later call sees what the earlier ones have done. */
  #reconcile(): Promise<void> {
    const run = this.#reconciling.then(() => this.#shareOut());
    this.#reconciling = run.catch(() => undefined);
    return run;
  }

  async #shareOut(): Promise<void> {
    clearTimeout(this.#timer);
    let missing = false;
    const all = [...this.#assignments.values()];
    const wanted = new Map(all.map((assignment) => [assignment, this.#memberFor(assignment.place)]));
    await Promise.all(
      all.map(async (assignment) => {
        if (assignment.owner === wanted.get(assignment) && assignment.reader !== undefined) return;
        await assignment.reader?.stop();
        assignment.reader = undefined;
        assignment.owner = undefined;
      }),
    );
    for (const [assignment, member] of wanted) {
      if (member === undefined) await this.#unlock(assignment);
      else if (!(await this.#lock(assignment))) missing = true;
      // Whoever left while we waited for the lock is met by the reconcile that its leaving has queued.
      else if (assignment.reader === undefined && this.#members.includes(member)) {
        assignment.owner = member;
        assignment.reader = member.startReader(assignment.place);
      }
    }
    if (missing) this.#timer = setTimeout(() => void this.#reconcile().catch(() => undefined), LOCK_RETRY_MS);
  }

  #memberFor(place: PartitionPlace): Member | undefined {
    const having = this.#members.filter((member) =>
      member.places.some((own) => own.topicId === place.topicId && own.partition === place.partition),
    );
    return having[place.partition % having.length];
  }

  async #lock(assignment: Assignment): Promise<boolean> {
    if (assignment.locked) return true;
    const found = await this.#connection.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      [this.#lockName(assignment)],
    );
    assignment.locked = found?.rows[0]?.locked === true;
    return assignment.locked;
  }

  async #unlock(assignment: Assignment): Promise<void> {
    if (!assignment.locked) return;
    assignment.locked = false;
    await this.#connection.query('select pg_advisory_unlock(hashtextextended($1, 0))', [
      this.#lockName(assignment),
    ]);
  }

  #lockName(assignment: Assignment): string {
    return `${this.#name}/${assignment.place.topicId}/${assignment.place.partition}`;
  }

  #lostSession(): void {
    for (const assignment of this.#assignments.values()) {
      assignment.locked = false;
      void assignment.reader?.stop();
      assignment.owner = undefined;
    }
    void this.#reconcile().catch(() => undefined);
  }
}

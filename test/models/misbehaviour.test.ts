import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDerivation, listJobs } from '../../packages/derivations/src/index.js';
import {
  type DerivationCase,
  derivationCase,
  eventually,
} from '../../packages/derivations/src/testing/derivation-case.js';
import {
  asksForFacts,
  type Behaviour,
  FAULTS,
  type SeenRequest,
  userOf,
} from '../../packages/llm/src/loopback-server.js';
import { createFactExtractor } from '../../services/fact-extractor/src/fact-extractor.js';
import { createSummarizer } from '../../services/summarizer/src/summarizer.js';
import { freshDatabase, type TestDatabase } from '../harness/postgres.js';

type Fault = keyof typeof FAULTS;
const NAMES = Object.keys(FAULTS) as Fault[];

/** No answer came: the job is tried again later, and its reason stands in the job. */
const AGAIN = ['limited', 'broken', 'overloaded', 'badKey', 'hang', 'drop', 'notJson', 'noChoices'] as const;
/** Told once that it is not served, the ladder steps down: for facts the endpoint works. */
const STEPS_DOWN = ['noJsonSchema', 'noJsonObject', 'noTools'] as const;
/** What has the right shape, and nothing in it. */
const NO_FACTS = ['fenced', 'prose'] as const;
/** Facts of the right shape that nobody stated: the rest of the answer counts, they are kept for a person. */
const INVENTED = ['injectedFact'] as const;

const isOne = (list: readonly string[], fault: string): boolean => list.includes(fault);
const summaryStates = (fault: Fault): string => {
  if (isOne([...AGAIN, 'noJsonSchema'], fault)) return 'waiting';
  return 'rejected';
};
const factStates = (fault: Fault): string => {
  if (isOne(AGAIN, fault)) return 'waiting';
  return isOne([...STEPS_DOWN, ...NO_FACTS, ...INVENTED], fault) ? 'made' : 'rejected';
};

let db: TestDatabase;
let at: DerivationCase;
let services: RunningDerivation[];

/** Which case and block it is stands in the texts, so that the server knows whose block it is. */
const texts = (fault: Fault, block: number): string[] =>
  Array.from(
    { length: 4 },
    (_, n) =>
      `case${NAMES.indexOf(fault)} block${block}: I love sushi number ${n}, and this is a sentence of the user that is about the order.`,
  );
const isBroken = (request: SeenRequest): Fault | null => {
  const match = /case(\d+) block2/u.exec(userOf(request));
  return match === null ? null : (NAMES[Number(match[1])] as Fault);
};
function good(request: SeenRequest): Behaviour {
  if (!asksForFacts(request)) return { kind: 'answer', text: 'The user loves sushi and speaks of an order.' };
  const fact = { fact_type: 'preference', actor: 'client', subject: 'sushi', payload: 'I love sushi' };
  return { kind: 'answer', text: JSON.stringify({ facts: [{ ...fact, message: 1 }] }) };
}

beforeAll(async () => {
  db = await freshDatabase({ migrated: true });
  at = await derivationCase(
    db,
    (request) => {
      const fault = isBroken(request);
      if (fault === null) return good(request);
      // An endpoint that says what it does not serve serves the next thing.
      if (isOne(STEPS_DOWN, fault) && asksForFacts(request)) return { kind: 'answer', text: '{"facts":[]}' };
      return FAULTS[fault];
    },
    { timeoutMs: 400, attempts: 2 },
  );
  const settings = { block: 4, pollMs: 20, concurrency: 4 };
  services = [
    await at.start(() =>
      createSummarizer({ ...at.dependencies, settings: { ...settings, keepLive: 0, maxTokens: 60 } }),
    ),
    await at.start(() => createFactExtractor({ ...at.dependencies, settings })),
  ];
  for (const fault of NAMES) await at.say(fault, texts(fault, 1));
  await at.project();
  for (const service of services) await at.settled(service);
}, 60_000);
afterAll(async () => {
  await at.close();
  await db.drop();
});

const callsFor = (fault: string, forFacts: boolean): number =>
  at.server.requests.filter((request) => isBroken(request) === fault && asksForFacts(request) === forFacts)
    .length;
const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await db.pool.query(sql)).rows;
const views = async () => ({
  summaries: await rows(
    'select conversation_id, from_order, to_order, text from palimpsest.summaries order by 1, 2',
  ),
  facts: await rows(
    'select conversation_id, fact_id, payload, superseded_by from palimpsest.facts order by conversation_id, fact_id',
  ),
});

describe('whatever a model does', () => {
  it('the last good view stands, the reason is visible, calls are bounded, and no partition waits', async () => {
    const before = await views();
    expect(before.summaries).toHaveLength(NAMES.length);
    expect(before.facts).toHaveLength(NAMES.length);

    for (const fault of NAMES) await at.say(fault, texts(fault, 2));
    await at.project();
    // Consumers are at the end of the log while the model hangs, fails and talks nonsense.
    await eventually(async () => {
      for (const service of services) expect(await service.lag()).toBe(0n);
    });
    const jobs = await eventually(async () => {
      const second = (await listJobs(db.pool)).filter((job) => job.to >= BigInt(4 * NAMES.length));
      const ofSecond = second.filter(
        ({ state, reason }) =>
          state !== 'running' && !(state === 'waiting' && /^waits|^$/u.test(reason ?? '')),
      );
      const found = new Map(ofSecond.map((job) => [`${job.conversation} ${job.purpose}`, job]));
      for (const fault of NAMES) expect([...found.keys()]).toContain(`${fault} summary`);
      for (const fault of NAMES) expect([...found.keys()]).toContain(`${fault} facts`);
      return found;
    });
    for (const fault of NAMES) {
      const summary = jobs.get(`${fault} summary`);
      const facts = jobs.get(`${fault} facts`);
      expect(`${fault}: ${summary?.state}`).toBe(`${fault}: ${summaryStates(fault)}`);
      expect(`${fault}: ${facts?.state}`).toBe(`${fault}: ${factStates(fault)}`);
      expect(summary?.reason, fault).toMatch(/\w/u);
      if (facts?.state !== 'made') expect(facts?.reason, fault).toMatch(/\w/u);
      // Two requests a run, one reminder, and at most a second run by now.
      expect(callsFor(fault, false), fault).toBeLessThanOrEqual(4);
      expect(callsFor(fault, true), fault).toBeLessThanOrEqual(4);
    }
    expect(await views()).toEqual(before);
    const { values } = await at.dependencies.metrics.derivation_jobs_total.get();
    const outcomes = new Set(values.map(({ labels }) => labels.outcome));
    for (const outcome of ['made', 'rejected', 'retried']) expect(outcomes).toContain(outcome);
  });

  it('what was refused of an answer is kept for a person', async () => {
    const kept = await rows(
      `select conversation_id, 'summary' as of, reason, answer from palimpsest.summaries_review
       union all select conversation_id, 'facts', reason, answer from palimpsest.facts_review order by 1, 2`,
    );
    const reason = (fault: Fault, of: string): unknown =>
      kept.find((row) => row['conversation_id'] === fault && row['of'] === of)?.['reason'];
    expect(reason('echo', 'summary')).toBe('prompt_echo');
    expect(reason('injected', 'summary')).toBe('instructions');
    expect(reason('otherLanguage', 'summary')).toBe('wrong_language');
    expect(reason('unrelated', 'summary')).toBe('not_of_source');
    expect(reason('cutOff', 'facts')).toBe('cut_off');
    expect(reason('none', 'facts')).toBe('not_json');
    expect(reason('injectedFact', 'facts')).toBe('not_in_source');
    expect(reason('tooLong', 'facts')).toBe('refused_by_endpoint');
    expect(kept.every((row) => row['answer'] !== '' || ['empty'].includes(String(row['reason'])))).toBe(true);
  });
});

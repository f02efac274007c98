import { liveGeneration, listGenerations, migrate } from '@palimpsest/views';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { generationFor, startBuild } from '../../packages/cli/src/replay/build-generation.js';
import { promote } from '../../packages/cli/src/replay/promote.js';
import type { ReplayScope } from '../../packages/cli/src/replay/scope.js';
import { generationText, namedStrategy, type ReplayCase, replayCase, talk } from '../harness/replay-case.js';

const LIVE = 'name: live\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';
const NEXT =
  'name: next\nwindow: { messages: 20 }\ncut: { when: always, tool_result_tokens: 200 }\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';

let at: ReplayCase;
afterEach(() => at.close());

async function build(yaml: string, scope: ReplayScope = {}): Promise<number> {
  const generation = await generationFor(at.pool, namedStrategy(yaml), scope);
  const running = await startBuild(at.parts, generation);
  await running.caughtUp();
  await running.stop();
  return generation.generation;
}

const derivations = async (): Promise<bigint> =>
  (await at.log.bounds('context.derivations')).reduce((sum, { high, low }) => sum + high - low, 0n);

describe('a replay', () => {
  it('equals what the same strategy makes live, byte for byte, and asks no model again', async () => {
    at = await replayCase(LIVE);
    await at.append(talk(4, 8));
    await at.startServices();
    await at.settled();
    const made = await derivations();
    expect(made).toBeGreaterThan(0n);
    const generation = await build(LIVE);
    expect(await generationText(at.pool, generation)).toBe(await generationText(at.pool, 1));
    expect(await derivations()).toBe(made);
  });

  it('by a strategy that leaves the prompts alone asks no model and has the same summaries and facts', async () => {
    at = await replayCase(LIVE);
    await at.append(talk(3, 8));
    await at.startServices();
    await at.settled();
    const made = await derivations();
    const generation = await build(NEXT);
    expect(await derivations()).toBe(made);
    const memoryOf = async (of: number) => {
      const summaries = await at.pool.query(
        'select tenant, conversation_id, from_order, text, carried from palimpsest.summaries where generation = $1 order by 1, 2, 3',
        [of],
      );
      const facts = await at.pool.query(
        'select tenant, conversation_id, fact_id, payload, superseded_by from palimpsest.facts where generation = $1 order by 1, 2, 3',
        [of],
      );
      return [summaries.rows, facts.rows];
    };
    expect(await memoryOf(generation)).toEqual(await memoryOf(1));
    expect((await memoryOf(1))[0]).not.toEqual([]);
  });

  it('by other blocks makes leaves of its own and leaves those of the live generation alone', async () => {
    at = await replayCase(LIVE);
    await at.append(talk(2, 8));
    await at.startServices();
    await at.settled();
    const before = await generationText(at.pool, 1);
    await build('name: other\nsummary: { block: 10, keep_live: 4 }\nfacts: {}\n');
    await at.settled();
    expect(await generationText(at.pool, 1)).toBe(before);
  });

  it('goes on where it was broken off, beside live traffic, and goes live with nothing missing', async () => {
    at = await replayCase(LIVE);
    await at.append(talk(4, 6));
    await at.startServices();
    let turn = 6;
    let stopped = false;
    onTestFinished(() => void (stopped = true));
    const traffic = (async () => {
      while (!stopped) {
        await at.append(talk(1, 1, turn));
        turn += 1;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    for (let broken = 0; broken < 3; broken += 1) {
      const generation = await generationFor(at.pool, namedStrategy(NEXT), {});
      const running = await startBuild(at.parts, generation);
      await running.stop();
    }
    const generation = await build(NEXT);
    expect((await listGenerations(at.pool)).map((one) => one.generation)).toEqual([1, generation]);
    const { from } = await promote(at.parts, generation, { handOverMs: 50 });
    expect(from?.generation).toBe(1);
    stopped = true;
    await traffic;
    await at.settled();
    expect((await liveGeneration(at.pool))?.generation).toBe(generation);
    const again = await build(NEXT);
    expect(again).not.toBe(generation);
    expect(await generationText(at.pool, generation)).toBe(await generationText(at.pool, again));
  }, 240_000);

  it('into an empty store, from the topics alone, gives the same views, facts and summaries, and asks no model', async () => {
    at = await replayCase(LIVE);
    await at.append(talk(3, 8));
    await at.startServices();
    await at.settled();
    const before = await generationText(at.pool, 1);
    const made = await derivations();
    await at.stopServices();
    // All that was made from the log is gone, the log stays.
    await at.pool.query('drop schema palimpsest cascade');
    await at.pool.query('drop schema graphile_worker cascade');
    await migrate(at.pool);
    const generation = await build(LIVE);
    const { from } = await promote(at.parts, generation);
    expect(from).toBeNull();
    expect((await liveGeneration(at.pool))?.generation).toBe(generation);
    expect(await generationText(at.pool, generation)).toBe(before);
    expect(await derivations()).toBe(made);
  });

  it.each([
    ['a tenant', { tenant: 'shop' }, ['c0', 'c3', 'late']],
    ['conversations', { conversations: ['c1', 'c2'] }, ['c1', 'c2']],
    ['an agent', { agent: 'sales' }, ['c1', 'c3', 'c5']],
    ['a time', { from: 1_790_000_000_000 + 9 * 60_000 }, ['late']],
  ] as [string, ReplayScope, string[]][])(
    'of %s is made of those conversations, whole',
    async (_, scope, expected) => {
      at = await replayCase(LIVE);
      const late = talk(1, 2, 8).map((event) => ({ ...event, conversation_id: 'late' }));
      await at.append([...talk(6, 3), ...late]);
      const whole = await build(LIVE);
      const part = await build(LIVE, scope);
      const { rows } = await at.pool.query<{ conversation_id: string; same: boolean }>(
        `select p.conversation_id, p.state = w.state as same from palimpsest.context_views p
       join palimpsest.context_views w using (tenant, conversation_id)
       where p.generation = $1 and w.generation = $2 order by 1`,
        [part, whole],
      );
      expect(rows).toEqual(expected.map((conversation_id) => ({ conversation_id, same: true })));
      await expect(promote(at.parts, part)).rejects.toThrow('for comparison');
    },
  );
});

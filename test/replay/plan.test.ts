import { createOpenAICompatibleModel } from '@palimpsest/llm';
import { asksForFacts, type LoopbackServer, startLoopbackServer } from '@palimpsest/llm/loopback-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generationFor, startBuild } from '../../packages/cli/src/replay/build-generation.js';
import { planReplay } from '../../packages/cli/src/replay/plan-replay.js';
import { namedStrategy, type ReplayCase, replayCase, talk } from '../harness/replay-case.js';

const LIVE = 'name: live\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';
const PRICE = { input: 1, output: 2 };

let server: LoopbackServer;
let at: ReplayCase;
beforeEach(async () => {
  server = await startLoopbackServer({
    fallback: (request) => ({
      kind: 'answer',
      text: asksForFacts(request) ? '{"facts":[]}' : 'The order was sent.',
    }),
  });
  const model = createOpenAICompatibleModel({ baseUrl: server.baseUrl, model: 'loopback' });
  at = await replayCase(LIVE, { model });
  await at.append(talk(4, 8));
  await at.startServices();
  await at.settled();
});
afterEach(async () => {
  await at.close();
  await server.close();
});

async function callsOf(yaml: string): Promise<number> {
  const before = server.requests.length;
  const build = await startBuild(at.parts, await generationFor(at.pool, namedStrategy(yaml), {}));
  await build.caughtUp();
  await build.stop();
  return server.requests.length - before;
}

describe('the plan of a replay', () => {
  it.each([
    [
      'prompts left alone',
      'name: same\nwindow: { messages: 10 }\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n',
    ],
    ['other summaries', 'name: longer\nsummary: { block: 6, keep_live: 4, leaf_tokens: 90 }\nfacts: {}\n'],
    ['other blocks', 'name: blocks\nsummary: { block: 9, keep_live: 4 }\nfacts: {}\n'],
    ['no facts', 'name: none\nsummary: { block: 6, keep_live: 4 }\n'],
  ])('says how many calls it will make: %s', async (_, yaml) => {
    const plan = await planReplay(at.parts, namedStrategy(yaml), {}, PRICE);
    expect(plan).toMatchObject({ events: 4 * 8 * 4, conversations: 4 });
    const calls = await callsOf(yaml);
    expect(Math.abs(plan.derivations.calls - calls)).toBeLessThanOrEqual(calls * 0.05);
    expect(plan.derivations.reused + plan.derivations.calls).toBeGreaterThan(0);
    const [least, most] = plan.dollars as [number, number];
    expect(least).toBeLessThanOrEqual(most);
    expect(most > 0).toBe(calls > 0);
  });
});

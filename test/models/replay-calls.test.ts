import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { generationFor, startBuild } from '../../packages/cli/src/replay/build-generation.js';
import { createOpenAICompatibleModel } from '../../packages/llm/src/index.js';
import {
  asksForFacts,
  type LoopbackServer,
  startLoopbackServer,
} from '../../packages/llm/src/loopback-server.js';
import { generationText, namedStrategy, type ReplayCase, replayCase, talk } from '../harness/replay-case.js';

const LIVE = 'name: live\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';
const OTHER_LAYOUT =
  'name: next\nwindow: { messages: 20 }\ncut: { when: always, tool_result_tokens: 200 }\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';

let at: ReplayCase;
let server: LoopbackServer;
let prompts: string;
beforeEach(async () => {
  prompts = mkdtempSync(join(tmpdir(), 'prompts-'));
  let answers = 0;
  server = await startLoopbackServer({
    // Never the same answer twice: what is made again can be told from what was kept.
    fallback(request) {
      answers += 1;
      const fact = {
        fact_type: 'preference',
        actor: 'client',
        subject: `tea ${answers}`,
        payload: 'I prefer tea',
      };
      return {
        kind: 'answer',
        text: asksForFacts(request)
          ? JSON.stringify({ facts: [{ ...fact, message: 1 }] })
          : `The order was sent. This is answer ${answers}.`,
      };
    },
  });
});
afterEach(async () => {
  await at.close();
  await server.close();
  rmSync(prompts, { recursive: true });
});

const model = (promptsFolder: string | null = null) =>
  createOpenAICompatibleModel({ baseUrl: server.baseUrl, model: 'm', promptsFolder });

async function build(yaml: string, asked = model()): Promise<number> {
  const generation = await generationFor(at.pool, namedStrategy(yaml), {});
  const running = await startBuild({ ...at.parts, model: asked }, generation);
  await running.caughtUp();
  await running.stop();
  return generation.generation;
}
const memoryOf = async (generation: number): Promise<Record<string, unknown[]>> => {
  const [summaries, facts] = await Promise.all(
    ['summaries', 'facts'].map(async (table) => {
      const { rows } = await at.pool.query(
        `select * from palimpsest.${table} where generation = $1 order by 2, 3, 4`,
        [generation],
      );
      return rows.map(({ generation: _, ...row }: Record<string, unknown>) => row);
    }),
  );
  return { summaries: summaries ?? [], facts: facts ?? [] };
};
const calls = (): { facts: number; summaries: number } => {
  const facts = server.requests.filter(asksForFacts).length;
  return { facts, summaries: server.requests.length - facts };
};

async function live(): Promise<{ facts: number; summaries: number }> {
  at = await replayCase(LIVE, { model: model() });
  await at.append(talk(3, 8));
  await at.startServices();
  await at.settled();
  return calls();
}

it('a replay that leaves prompts alone calls no model, and has the same summaries and facts, byte for byte', async () => {
  const before = await live();
  expect(before.facts).toBeGreaterThan(0);
  expect(before.summaries).toBeGreaterThan(0);
  const same = await build(LIVE);
  const other = await build(OTHER_LAYOUT);
  expect(calls()).toEqual(before);
  expect(await generationText(at.pool, same)).toBe(await generationText(at.pool, 1));
  const memory = await memoryOf(1);
  expect(memory['facts']?.length).toBeGreaterThan(0);
  expect(await memoryOf(other)).toEqual(memory);
});

it('one that changes the facts prompt calls for facts only, and keeps every summary', async () => {
  const before = await live();
  writeFileSync(
    join(prompts, 'facts.md'),
    'Read facts of the user. When there is nothing, answer {"facts":[]}.',
  );
  const next = await build(OTHER_LAYOUT, model(prompts));
  expect(calls()).toEqual({ summaries: before.summaries, facts: 2 * before.facts });
  const [first, second] = [await memoryOf(1), await memoryOf(next)];
  expect(second['summaries']).toEqual(first['summaries']);
  expect(second['facts']).not.toEqual(first['facts']);
  // The live generation asked by the old prompt, and is left as it was.
  await at.settled();
  expect(await memoryOf(1)).toEqual(first);
});

it('one that changes what summaries keep for one type of agent calls for conversations of that type only', async () => {
  at = await replayCase(LIVE, { model: model() });
  const events = talk(2, 8);
  const [first] = events;
  await at.append([
    {
      ...first,
      type: 'conversation_settings',
      event_id: '00000000-0000-4000-8000-00000000f00d',
      agent_type: 'shop',
      model: null,
      language: null,
      time_zone: null,
      verbatim: null,
      full_context: null,
    } as (typeof events)[number],
  ]);
  await at.append(events);
  await at.startServices();
  await at.settled();
  const before = calls();
  const ofShop = (await memoryOf(1))['summaries']?.filter(
    (row) => (row as { conversation_id: string }).conversation_id === first?.conversation_id,
  );
  expect(ofShop?.length).toBeGreaterThan(0);
  mkdirSync(join(prompts, 'summary'));
  writeFileSync(join(prompts, 'summary/shop.md'), 'Keep: orders. Drop: the rest.');
  await build(OTHER_LAYOUT, model(prompts));
  expect(calls()).toEqual({ facts: before.facts, summaries: before.summaries + (ofShop?.length ?? 0) });
});

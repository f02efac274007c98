import { createKafkaLog } from '@palimpsest/log-kafka';
import { liveGeneration } from '@palimpsest/views';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildGeneration,
  generationFor,
  startBuild,
} from '../../packages/cli/src/replay/build-generation.js';
import { promote } from '../../packages/cli/src/replay/promote.js';
import { generationText, namedStrategy, type ReplayCase, replayCase, talk } from '../harness/replay-case.js';
import { describeWithKafka } from '../kafka/broker.js';
import { startTemporaryCluster, type TemporaryCluster } from '../kafka/temporary-cluster.js';

const LIVE = 'name: live\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';
const NEXT = 'name: next\nwindow: { messages: 20 }\nsummary: { block: 6, keep_live: 4 }\nfacts: {}\n';

describeWithKafka('a replay on Kafka', () => {
  let cluster: TemporaryCluster;
  let at: ReplayCase;
  beforeAll(async () => {
    cluster = await startTemporaryCluster();
    const log = await createKafkaLog({ brokers: cluster.bootstrap, clientId: 'replay' });
    at = await replayCase(LIVE, { log });
  });
  afterAll(async () => {
    await at?.close();
    await cluster?.remove();
  });

  it('broken off and shared by two workers, goes live and equals one built from empty', async () => {
    await at.append(talk(4, 6));
    await at.startServices();
    await at.settled();
    const generation = await generationFor(at.pool, namedStrategy(NEXT), {});
    await (await startBuild(at.parts, generation)).stop();
    const workers = await Promise.all([startBuild(at.parts, generation), startBuild(at.parts, generation)]);
    await at.append(talk(4, 2, 6));
    await Promise.all(workers.map((worker) => worker.caughtUp()));
    await Promise.all(workers.map((worker) => worker.stop()));
    await promote(at.parts, generation.generation, { handOverMs: 100 });
    expect((await liveGeneration(at.pool))?.generation).toBe(generation.generation);
    await at.settled();
    const again = await buildGeneration(at.parts, namedStrategy(NEXT));
    expect(again).not.toBe(generation.generation);
    expect(await generationText(at.pool, generation.generation)).toBe(await generationText(at.pool, again));
  }, 180_000);
});

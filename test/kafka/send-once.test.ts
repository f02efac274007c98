import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const require = createRequire(import.meta.resolve('kafkajs'));
const sendMessages = require(['./src/producer', 'sendMessages.js'].join('/')) as (
  parts: object,
) => (given: object) => Promise<{ partition: number; baseOffset: string }[]>;

const TOPIC = 'topic';
const quiet = { debug: () => undefined, error: () => undefined };

interface Produced {
  node: number;
  partition: number;
  firstSequence: number;
}

/** kafkajs's own sending of one record to each of two partitions; `answer` is asked for each request to a broker. */
async function send(
  leaders: () => Record<number, number>,
  answer: (node: number, requests: readonly Produced[]) => Promise<void>,
): Promise<{ produced: Produced[]; answered: number[] }> {
  const produced: Produced[] = [];
  const sequences = new Map<number, number>();
  const brokers = new Map([1, 2].map((nodeId) => [nodeId, broker(nodeId)]));

  function broker(nodeId: number): object {
    return {
      nodeId,
      async produce({ topicData }: { topicData: { partitions: (Produced & { messages: unknown[] })[] }[] }) {
        const partitions = topicData.flatMap((one) => one.partitions).map((one) => Number(one.partition));
        const firsts = topicData.flatMap((one) => one.partitions).map((one) => one.firstSequence);
        produced.push(
          ...partitions.map((partition, at) => ({
            node: nodeId,
            partition,
            firstSequence: firsts[at] as number,
          })),
        );
        await answer(nodeId, produced);
        const answers = partitions.map((partition) => ({ partition, errorCode: 0, baseOffset: '0' }));
        return { topics: [{ topicName: TOPIC, partitions: answers }] };
      },
    };
  }

  const cluster = {
    isConnected: () => true,
    removeBroker: () => undefined,
    refreshMetadata: async () => undefined,
    refreshMetadataIfNecessary: async () => undefined,
    addMultipleTargetTopics: async () => undefined,
    findTopicPartitionMetadata: () => [0, 1].map((partitionId) => ({ partitionId })),
    findBroker: async ({ nodeId }: { nodeId: string }) => brokers.get(Number(nodeId)),
    findLeaderForPartitions: (_topic: string, partitions: string[]) => {
      const found: Record<number, number[]> = {};
      for (const partition of partitions.map(Number)) {
        const leader = leaders()[partition] as number;
        found[leader] = [...(found[leader] ?? []), partition];
      }
      return found;
    },
  };
  const eosManager = {
    acquireBrokerLock: async () => undefined,
    releaseBrokerLock: async () => undefined,
    isTransactional: () => false,
    getProducerId: () => 1,
    getProducerEpoch: () => 0,
    getSequence: (_topic: string, partition: number) => sequences.get(Number(partition)) ?? 0,
    updateSequence: (_topic: string, partition: number, by: number) =>
      sequences.set(Number(partition), (sequences.get(Number(partition)) ?? 0) + by),
  };
  const sending = sendMessages({ logger: quiet, cluster, partitioner, eosManager, retrier });
  const messages = [0, 1].map((partition) => ({ value: 'record', partition }));
  const answers = await sending({ acks: -1, topicMessages: [{ topic: TOPIC, messages }] });
  return { produced, answered: answers.map(({ partition }) => partition).toSorted() };
}

/** Until it works or the error is none to retry, as kafkajs's own, without its pauses. */
const retrier = async (work: (bail: (error: unknown) => never) => Promise<unknown>): Promise<unknown> => {
  for (;;) {
    try {
      return await work((error) => {
        throw error;
      });
    } catch (error) {
      if ((error as { retriable?: boolean }).retriable !== true) throw error;
    }
  }
};

const partitioner = ({ message }: { message: { partition: number } }): number => message.partition;

const gone = (): Error => Object.assign(new Error('the leader is gone'), { retriable: true });
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a request to several brokers (patches/kafkajs+2.2.4+send-once.patch)', () => {
  it('sends a partition once, though it was still under way when another one failed', async () => {
    let failures = 1;
    const { produced, answered } = await send(
      () => ({ 0: 1, 1: 2 }),
      async (node) => {
        if (node === 1 && failures-- > 0) throw gone();
        if (node === 2) await turns(5);
      },
    );
    expect(produced.filter(({ partition }) => partition === 1)).toHaveLength(1);
    expect(
      produced.filter(({ partition }) => partition === 0).map(({ firstSequence }) => firstSequence),
    ).toEqual([0, 0]);
    expect(answered).toEqual([0, 1]);
  });

  it('sends a partition whose leader moved to a broker that had answered already', async () => {
    let moved = false;
    const { produced, answered } = await send(
      () => (moved ? { 0: 2, 1: 2 } : { 0: 1, 1: 2 }),
      async (node) => {
        if (node !== 1) return;
        moved = true;
        await turns(5);
        throw gone();
      },
    );
    expect(produced).toEqual([
      { node: 1, partition: 0, firstSequence: 0 },
      { node: 2, partition: 1, firstSequence: 0 },
      { node: 2, partition: 0, firstSequence: 0 },
    ]);
    expect(answered).toEqual([0, 1]);
  });
});

import { type Admin, type ConfigSource, Kafka, logLevel } from 'kafkajs';
import { kafkaConnection, type KafkaSettings } from '../settings/kafka-connection.js';
import { compareTopics, type FoundTopic, type TopicDifference } from './compare-topics.js';
import type { DeclaredTopic } from './declared-topics.js';

/** Of the protocol; kafkajs has names for them that ES modules cannot import. */
const TOPIC_RESOURCE = 2;
const SET_ON_TOPIC: ConfigSource = 1;

const SETTLE_ATTEMPTS = 30;
const SETTLE_PAUSE_MS = 100;

export interface AppliedTopics {
  created: string[];
  /** Topics whose settings were set as declared. */
  changed: string[];
  /** What is not as declared and cannot be made so from here. */
  left: TopicDifference[];
}

/** Creates what is missing and sets settings as declared. Never deletes, never changes partitions or copies. */
export async function applyTopics(
  settings: KafkaSettings,
  declared: readonly DeclaredTopic[],
): Promise<AppliedTopics> {
  return withAdmin(settings, async (admin) => {
    const found = await findTopics(admin, declared);
    const missing = declared.filter(({ name }) => !found.has(name));
    if (missing.length > 0) await create(admin, missing);
    const differences = compareTopics(declared, found);
    const changed = new Set(differences.filter(({ kind }) => kind === 'settings').map(({ topic }) => topic));
    for (const topic of declared) {
      if (changed.has(topic.name)) await setSettings(admin, topic);
    }
    const after = missing.length + changed.size === 0 ? differences : await settled(admin, declared);
    return { created: missing.map(({ name }) => name), changed: [...changed], left: after };
  });
}

/** Where the cluster is not as declared. Changes nothing. */
export function checkTopics(
  settings: KafkaSettings,
  declared: readonly DeclaredTopic[],
): Promise<TopicDifference[]> {
  return withAdmin(settings, async (admin) => compareTopics(declared, await findTopics(admin, declared)));
}

async function withAdmin<T>(settings: KafkaSettings, work: (admin: Admin) => Promise<T>): Promise<T> {
  const { brokers, ...connection } = kafkaConnection('palimpsest-topics', settings);
  const kafka = new Kafka({
    ...connection,
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 5, initialRetryTime: 200 },
  } as ConstructorParameters<typeof Kafka>[0]);
  const admin = kafka.admin();
  try {
    await admin.connect().catch((cause: unknown) => {
      throw new Error(
        `Kafka at ${brokers.join(', ')} cannot be reached: check PALIMPSEST_KAFKA_BROKERS, TLS and SASL settings.`,
        { cause },
      );
    });
    return await work(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function create(admin: Admin, topics: readonly DeclaredTopic[]): Promise<void> {
  const { brokers } = await admin.describeCluster();
  const copies = Math.max(...topics.map(({ replication }) => replication));
  if (copies > brokers.length) {
    throw new Error(
      `The cluster has ${brokers.length} broker(s), the topics are declared with ${copies} copies: add brokers, or ` +
        `for development name fewer copies with --replication ${brokers.length}. Nothing was created.`,
    );
  }
  await admin.createTopics({
    // Not waited for here: kafkajs fails where a broker has not heard of a topic yet. "settled" looks until it has.
    waitForLeaders: false,
    topics: topics.map(({ name, partitions, replication, settings }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: replication,
      configEntries: Object.entries(settings).map(([key, value]) => ({ name: key, value })),
    })),
  });
}

/** The request replaces all settings of a topic, so those that somebody else has set go with it. */
async function setSettings(admin: Admin, { name, settings }: DeclaredTopic): Promise<void> {
  const own = (await describe(admin, [name])).get(name) ?? [];
  const kept = own
    .filter((entry) => entry.configSource === SET_ON_TOPIC)
    .map((entry) => [entry.configName, entry.configValue] as const);
  const configEntries = Object.entries({ ...Object.fromEntries(kept), ...settings }).map(([key, value]) => ({
    name: key,
    value,
  }));
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: TOPIC_RESOURCE, name, configEntries }],
  });
}

/** What is still different once the brokers have had a moment to hear of what was changed at the controller. */
async function settled(admin: Admin, declared: readonly DeclaredTopic[]): Promise<TopicDifference[]> {
  for (let attempt = 1; ; attempt++) {
    const differences = compareTopics(declared, await findTopics(admin, declared));
    const isMended = differences.every(({ kind }) => kind !== 'missing' && kind !== 'settings');
    if (isMended || attempt === SETTLE_ATTEMPTS) return differences;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_PAUSE_MS));
  }
}

async function findTopics(
  admin: Admin,
  declared: readonly DeclaredTopic[],
): Promise<Map<string, FoundTopic>> {
  const existing = new Set(await admin.listTopics());
  const names = declared.map(({ name }) => name).filter((name) => existing.has(name));
  if (names.length === 0) return new Map();
  const settings = await describe(admin, names);
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  return new Map(
    topics.map(({ name, partitions }) => [
      name,
      {
        name,
        partitions: partitions.length,
        replication: Math.min(...partitions.map(({ replicas }) => replicas.length)),
        settings: Object.fromEntries(
          (settings.get(name) ?? []).map(({ configName, configValue }) => [configName, configValue]),
        ),
      },
    ]),
  );
}

type Setting = { configName: string; configValue: string; configSource: ConfigSource };

async function describe(admin: Admin, names: readonly string[]): Promise<Map<string, Setting[]>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: TOPIC_RESOURCE, name })),
  });
  return new Map(resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]));
}

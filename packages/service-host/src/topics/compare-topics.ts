import type { DeclaredTopic } from './declared-topics.js';

/** A topic as the cluster has it. */
export interface FoundTopic {
  name: string;
  partitions: number;
  replication: number;
  settings: Readonly<Record<string, string>>;
}

export interface TopicDifference {
  topic: string;
  kind: 'missing' | 'partitions' | 'replication' | 'settings';
  /** What is wanted, what was found, and where `apply` does not mend it, what to do. */
  says: string;
}

/** Where the cluster is not as declared; empty = as declared. Topics of others are no difference. */
export function compareTopics(
  declared: readonly DeclaredTopic[],
  found: ReadonlyMap<string, FoundTopic>,
): TopicDifference[] {
  return declared.flatMap((wanted) => {
    const topic = wanted.name;
    const has = found.get(topic);
    if (has === undefined) return [{ topic, kind: 'missing' as const, says: 'does not exist' }];
    const differences: TopicDifference[] = [];
    if (has.partitions !== wanted.partitions) {
      differences.push({
        topic,
        kind: 'partitions',
        says:
          `has ${has.partitions} partitions, declared are ${wanted.partitions}. They cannot be changed: keys would ` +
          'move to other partitions, and the order of a conversation would be lost. Declare what it has.',
      });
    }
    if (has.replication !== wanted.replication) {
      differences.push({
        topic,
        kind: 'replication',
        says:
          `has ${has.replication} copies, declared are ${wanted.replication}. Move them with ` +
          'kafka-reassign-partitions, or name the number of this cluster with --replication.',
      });
    }
    for (const [name, value] of Object.entries(wanted.settings)) {
      const given = has.settings[name];
      if (given === value) continue;
      differences.push({
        topic,
        kind: 'settings',
        says: `${name} is ${given ?? 'not known'}, declared is ${value}`,
      });
    }
    return differences;
  });
}

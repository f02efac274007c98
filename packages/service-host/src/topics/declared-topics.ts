import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '../installation.js';

export interface DeclaredTopic {
  name: string;
  partitions: number;
  replication: number;
  /** Kafka's own names and texts, e.g. `retention.ms`: `-1`. */
  settings: Readonly<Record<string, string>>;
}

interface TopicsFile {
  replication: number;
  topics: Record<string, { partitions: number; settings: Record<string, string> }>;
}

/**
 * The topics of `schemas/topics.json`. With `replication`, for a cluster that is smaller than the file's: as many
 * copies of each, and at least one, else all but one of them in sync.
 */
export function declaredTopics(replication?: number): DeclaredTopic[] {
  const file = join(installationRoot(), 'schemas', 'topics.json');
  const declared = JSON.parse(readFileSync(file, 'utf8')) as TopicsFile;
  const copies = replication ?? declared.replication;
  return Object.entries(declared.topics).map(([name, { partitions, settings }]) => {
    const insync = Math.min(Number(settings['min.insync.replicas']), Math.max(1, copies - 1));
    return {
      name,
      partitions,
      replication: copies,
      settings: { ...settings, 'min.insync.replicas': String(insync) },
    };
  });
}

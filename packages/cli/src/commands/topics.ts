import {
  applyTopics,
  checkTopics,
  declaredTopics,
  KAFKA_VARIABLES,
  type ProcessEnvironment,
  readVariables,
  type TopicDifference,
} from '@palimpsest/service-host';
import { CommandError, type Output } from '../output.js';

export interface TopicsOptions {
  /** Copies of each partition, for a cluster smaller than `schemas/topics.json` is made for. */
  replication?: number;
}

/** `palimpsest topics apply`: creates and sets what `schemas/topics.json` declares; fails for what it cannot mend. */
export async function applyTopicsCommand(
  options: TopicsOptions,
  environment: ProcessEnvironment,
  output: Output,
): Promise<void> {
  const settings = readVariables(environment, KAFKA_VARIABLES);
  const declared = declaredTopics(options.replication);
  const applied = await applyTopics(settings, declared);
  const { created, changed, left } = applied;
  for (const topic of created) output.line(`created  ${topic}`);
  for (const topic of changed) output.line(`set      ${topic}`);
  if (created.length + changed.length + left.length === 0) {
    output.line(`All ${declared.length} topics are as declared.`);
  }
  output.value(applied);
  failWith(left, declared.length);
}

/** `palimpsest topics check`: fails where the cluster is not as `schemas/topics.json` declares; changes nothing. */
export async function checkTopicsCommand(
  options: TopicsOptions,
  environment: ProcessEnvironment,
  output: Output,
): Promise<void> {
  const settings = readVariables(environment, KAFKA_VARIABLES);
  const declared = declaredTopics(options.replication);
  const differences = await checkTopics(settings, declared);
  if (differences.length === 0) output.line(`All ${declared.length} topics are as declared.`);
  output.value({ differences });
  failWith(differences, declared.length);
}

function failWith(differences: readonly TopicDifference[], declared: number): void {
  if (differences.length === 0) return;
  const topics = new Set(differences.map(({ topic }) => topic)).size;
  const mends = differences.some(({ kind }) => kind === 'missing' || kind === 'settings')
    ? '\n"palimpsest topics apply" creates what is missing and sets settings.'
    : '';
  throw new CommandError(
    `${topics} of ${declared} topics are not as schemas/topics.json declares:\n` +
      `${differences.map(({ topic, says }) => `  ${topic} ${says}`).join('\n')}${mends}`,
  );
}

/** Kafka's name of the error (`OFFSET_OUT_OF_RANGE`), or kafkajs's own (`KafkaJSConnectionError`), behind its wrappers. */
export function errorType(error: unknown): string {
  let found = 'unknown';
  for (let at = error; at instanceof Error; at = at.cause) {
    const { type, name } = at as Error & { type?: unknown };
    if (typeof type === 'string') return type;
    if (name !== 'KafkaJSNumberOfRetriesExceeded' && name !== 'KafkaJSNonRetriableError') found = name;
    // Some wrappers keep what they wrap under this name only.
    if (at.cause === undefined) return found;
  }
  return found;
}

const STALE_METADATA = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSBrokerNotFound',
]);

/** The client's picture of the cluster is old: asking for it anew helps. */
export function isStaleMetadata(error: unknown): boolean {
  return STALE_METADATA.has(errorType(error));
}

const PERMANENT = new Set([
  'KafkaJSSASLAuthenticationError',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_GROUP_ID',
  'INVALID_SESSION_TIMEOUT',
  'INCONSISTENT_GROUP_PROTOCOL',
  'UNSUPPORTED_VERSION',
  'KafkaJSNotImplemented',
]);

/** Trying again cannot help: an operator must change the configuration or the rights. */
export function isPermanent(error: unknown): boolean {
  return PERMANENT.has(errorType(error));
}

/** The topic is not in the cluster: never created, or deleted. */
export class MissingTopicError extends Error {
  constructor(
    readonly topic: string,
    options?: ErrorOptions,
  ) {
    super(
      `There is no topic "${topic}" in Kafka: create it with createTopic, or restore it if it was deleted.`,
      options,
    );
    this.name = 'MissingTopicError';
  }
}

/** A topic of that name exists, but it is not the one we have read: offsets mean other records now. */
export class TopicMadeAnewError extends Error {
  constructor(readonly topic: string) {
    super(
      `Topic "${topic}" was deleted and made anew: our offsets mean other records now. Restore the topic, or begin ` +
        `anew with "palimpsest checkpoints reset" (docs/runbook.md, "Retention passed the checkpoint"); nothing was skipped.`,
    );
    this.name = 'TopicMadeAnewError';
  }
}

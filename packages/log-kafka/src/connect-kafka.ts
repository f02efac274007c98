import type { ConnectionOptions } from 'node:tls';
import {
  type Cluster,
  type ISocketFactory,
  Kafka,
  logLevel,
  PartitionAssigners,
  type SASLOptions,
} from 'kafkajs';

export interface KafkaConnection {
  brokers: readonly string[];
  clientId: string;
  /** True for TLS with the system's authorities, or what Node's tls.connect takes. */
  ssl?: boolean | ConnectionOptions;
  sasl?: SASLOptions;
  /**
   * Receives what kafkajs would print: warnings, and errors it goes on to retry. Nothing is printed without it; what
   * ends an operation is thrown in any case.
   */
  onClientLog?(level: 'warn' | 'error', message: string, details: Record<string, unknown>): void;
}

// The first attempts come fast (a coordinator that loads is ready within a second), the last after about a minute:
// a broker may be killed and started again meanwhile.
const RETRY = { initialRetryTime: 100, multiplier: 2, maxRetryTime: 2000, retries: 35 };

export function connectKafka(connection: KafkaConnection, socketFactory: ISocketFactory): Kafka {
  const { brokers, clientId, ssl, sasl, onClientLog } = connection;
  return new Kafka({
    brokers: [...brokers],
    clientId,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    socketFactory,
    connectionTimeout: 5000,
    retry: RETRY,
    logLevel: onClientLog === undefined ? logLevel.NOTHING : logLevel.WARN,
    logCreator:
      () =>
      ({ level, log: { message, timestamp: _timestamp, ...details } }) =>
        onClientLog?.(level === logLevel.ERROR ? 'error' : 'warn', message, details),
  });
}

/**
 * A cluster connection of one's own, which can fetch without being in a consumer group. A partition assigner is the
 * one place where kafkajs's public interface hands one out; the consumer made for it is never connected.
 */
export function clusterOf(kafka: Kafka): Cluster {
  let found: Cluster | undefined;
  kafka.consumer({
    groupId: 'never-joined',
    allowAutoTopicCreation: false,
    // Of bounds only: where a foreign transaction is open, the end is behind its records. Fetches say what they want.
    readUncommitted: true,
    // Callers retry by themselves, with a fresh connection: a dead one must be known to be dead soon.
    retry: { retries: 2 },
    partitionAssigners: [
      (config) => {
        found = config.cluster;
        return PartitionAssigners.roundRobin(config);
      },
    ],
  });
  if (found === undefined)
    throw new Error('kafkajs made a consumer without asking its assigner for a cluster.');
  return found;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

const RETRY_MS = 150;

/**
 * Resolves when every broker is listed, a group coordinator is found and a producer id is given out. An open port is
 * not enough: for seconds after it, clients get "coordinator is loading" and "coordinator not available".
 */
export async function waitUntilReady({ bootstrap, brokers, withinMs, failed = () => undefined }) {
  const deadline = Date.now() + withinMs;
  let last;
  while (Date.now() < deadline) {
    const reason = failed();
    if (reason !== undefined) throw new Error(reason);
    try {
      await probe(bootstrap, brokers);
      return;
    } catch (error) {
      last = error;
      await sleep(RETRY_MS);
    }
  }
  throw new Error(`Kafka at ${bootstrap.join(',')} was not ready within ${withinMs / 1000} s.`, {
    cause: last,
  });
}

async function probe(bootstrap, brokers) {
  // An idempotent producer refuses to work without retries.
  const retry = { retries: 1, initialRetryTime: 50 };
  const kafka = new Kafka({ brokers: bootstrap, clientId: 'readiness', logLevel: logLevel.NOTHING, retry });
  const admin = kafka.admin();
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    retry,
    createPartitioner: () => () => 0,
  });
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    if (cluster.brokers.length < brokers)
      throw new Error(`Only ${cluster.brokers.length} of ${brokers} brokers are up.`);
    await admin.describeGroups(['readiness']);
    await producer.connect();
  } finally {
    await Promise.allSettled([admin.disconnect(), producer.disconnect()]);
  }
}

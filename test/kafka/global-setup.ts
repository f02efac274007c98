import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { TestProject } from 'vitest/node';
import type { RunningCluster } from '../../deploy/kafka-dev/cluster.mjs';
import { startTemporaryCluster, type TemporaryCluster } from './temporary-cluster.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the addresses of the run's broker, which is started when first asked for. */
    kafkaBroker: string;
  }
}

/** One broker per run, in vitest's main process, since workers come and go: runs without Kafka tests pay nothing. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<TemporaryCluster> | undefined;
  const server = createServer((_request, response) => {
    starting ??= startTemporaryCluster();
    starting.then(
      (cluster: RunningCluster) => response.end(JSON.stringify(cluster.bootstrap)),
      (error: unknown) => response.writeHead(500).end(inspect(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  project.provide('kafkaBroker', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await (await starting?.catch(() => undefined))?.remove();
  };
}

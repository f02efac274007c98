import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { Subscription } from '../event-log.js';
import { registerAppendTests } from './append-tests.js';
import { registerDeliveryTests } from './delivery-tests.js';
import { registerGroupTests } from './group-tests.js';
import {
  consumeFrom,
  type ContractRun,
  type LogContractOptions,
  type LogUnderTest,
} from './log-under-test.js';
import { registerRetentionTests } from './retention-tests.js';

/** Registers the port's tests under `name`. `makeLog` is called once, before the first of them. */
export function registerLogContract(
  name: string,
  makeLog: () => Promise<LogUnderTest>,
  options: LogContractOptions = {},
): void {
  describe(`the contract of EventLog, kept by ${name}`, () => {
    let made: LogUnderTest | undefined;
    const running: Subscription[] = [];
    const run: ContractRun = {
      get under(): LogUnderTest {
        if (made === undefined) throw new Error('The log was not made: see the error of beforeAll.');
        return made;
      },
      options: { wakeUpMs: 1000, largeRecordBytes: 5_000_000, ...options },
      async topic(partitions = 1) {
        const topic = `contract-${randomUUID()}`;
        await run.under.log.createTopic(topic, partitions);
        return topic;
      },
      async consume(topic, consumeOptions = {}) {
        const consumed = await consumeFrom(run.under.log, topic, consumeOptions);
        running.push(consumed.subscription);
        return consumed;
      },
    };
    beforeAll(async () => {
      made = await makeLog();
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((subscription) => subscription.stop()));
    });
    afterAll(async () => {
      await made?.cleanup();
    });
    registerAppendTests(run);
    registerDeliveryTests(run);
    registerGroupTests(run);
    registerRetentionTests(run);
  });
}

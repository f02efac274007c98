import type { EventLog } from '@palimpsest/log';
import { registerLogContract } from '@palimpsest/log/contract';
import { createKafkaLog } from '@palimpsest/log-kafka';
import { describeWithKafka, startBroker } from './broker.js';

describeWithKafka('on Apache Kafka', () => {
  registerLogContract('the Kafka log', async () => {
    const brokers = await startBroker();
    const logs: EventLog[] = [];
    const open = async (): Promise<EventLog> => {
      const log = await createKafkaLog({ brokers, clientId: 'contract' });
      logs.push(log);
      return log;
    };
    return {
      log: await open(),
      second: open,
      async cleanup() {
        await Promise.all(logs.map((log) => log.close()));
      },
    };
  });
});

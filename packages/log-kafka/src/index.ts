export { createKafkaLog } from './kafka-log.js';
export type { KafkaLogOptions } from './kafka-log.js';

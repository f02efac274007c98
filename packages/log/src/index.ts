export * from './event-log.js';
export { partitionOf } from './partition-of.js';

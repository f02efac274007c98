export * from './event-log.js';
export { partitionOf } from './partition-of.js';
export { Turns } from './turns.js';
export { pause } from './pause.js';

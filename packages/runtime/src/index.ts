export type {
  BatchContext,
  CheckpointWriter,
  ConsumerOptions,
  DecodedRecord,
  ManualConsumerOptions,
  RetryOptions,
  RunningConsumer,
} from './consumer.js';
export { readDeadLetter, replayOf } from './dead-letter.js';
export type { DeadLetter } from './dead-letter.js';
export { type BoxedLetter, readDeadLetters, replayDeadLetter } from './dead-letter-box.js';
export * from './errors.js';
export { type CheckpointState, type ListedCheckpoint, listCheckpoints } from './list-checkpoints.js';
export { resetCheckpoints, type ResetOptions, ViewsHoldOffsetsError } from './reset-checkpoints.js';
export { startConsumer, startManualConsumer } from './start-consumer.js';

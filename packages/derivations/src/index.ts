export { deterministicId } from './deterministic-id.js';
export { identify } from './derivation-events.js';
export { type DerivationJob, jobOf } from './derivation-job.js';
export {
  DEFAULT_SETTINGS,
  type Derivation,
  type DerivationDependencies,
  type DerivationMetrics,
  type DerivationSettings,
  type Derived,
  type ModelCall,
  type RefusedPart,
  type RunningDerivation,
  type SpendLimits,
} from './derivation-service.js';
export { foldChatEvent, type Trigger } from './fold-chat-event.js';
export { emptyFoldState, type FoldState } from './fold-state.js';
export { type BlockSource, checkpointOf, sourceMessage } from './read-block.js';
export { SMALLEST_BLOCK } from './select-block.js';
export { startDerivation } from './start-derivation.js';
export {
  type JobState,
  type ListedJob,
  listJobs,
  refusedAnswer,
  retryJobs,
} from './list-jobs.js';

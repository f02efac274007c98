export { createContextReader, type ContextReaderOptions } from './context/context-reader.js';
export { createLedgerReader } from './ledger-reader.js';
export { createLiveStrategies, type LiveStrategies } from './live-strategies.js';
export type { ContextAnswer, ContextFormat, ContextReader, ContextRequest } from './context-reader.js';
export { type ContextApi, createContextApi } from './create-context-api.js';
export {
  type ContextApiOptions,
  type CostGroup,
  DEFAULT_LIMITS,
  type LedgerReader,
  type Limits,
  type LiveGeneration,
} from './options.js';

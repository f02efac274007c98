export {
  assemble,
  type Assembled,
  type AssembleInput,
  type LeftOut,
  type Piece,
  type Slot,
} from './assemble.js';
export {
  type ConversationState,
  emptyState,
  heldEntries,
  type Pin,
  readState,
  type SettingName,
  writeState,
} from './conversation-state.js';
export * from './cut/index.js';
export * from './entry.js';
export { countEntry } from './fit-unit.js';
export { FloorError } from './floor-error.js';
export { decideMode, foldEntry, foldPin, foldPinned, foldSettings, placeOf } from './fold-window.js';
export { formatOpenAi, type OpenAiMessage } from './format-openai.js';
export type { Fact, SummaryLeaf } from './memory-text.js';
export { pairCalls, type Unit } from './pair-calls.js';
export {
  parseStrategy,
  type Strategy,
  StrategyFileError,
  strategyFromCanonical,
  type StrategySettings,
} from './strategy.js';

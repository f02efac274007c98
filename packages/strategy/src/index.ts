export type { LeftOut, Slot } from './account.js';
export { assemble, type Assembled, type AssembleInput, type Piece } from './assemble.js';
export {
  type ConversationState,
  emptyState,
  encodeState,
  type Pin,
  readState,
  type SettingName,
  writeState,
} from './conversation-state.js';
export * from './cut/index.js';
export * from './entry.js';
export { countEntry, shareOut, typeToCut } from './fit-unit.js';
export { originalEntry } from './gather-units.js';
export { artifactId } from './artifact-id.js';
export { FloorError, RulesError } from './floor-error.js';
export { decideMode, foldCorrection, foldEntry, foldPin, foldSettings, placeOf } from './fold-window.js';
export { type AiSdkMessage, formatAiSdk } from './format-ai-sdk.js';
export {
  ANTHROPIC_OPENING_TOKENS,
  type AnthropicContext,
  anthropicOpeningTokens,
  formatAnthropic,
} from './format-anthropic.js';
export { type CallDump, KillSwitchError } from './kill-switch.js';
export type { Note } from './note.js';
export { formatOpenAi, type OpenAiMessage } from './format-openai.js';
export { formatText } from './format-text.js';
export { CARRIED_LIMIT, carriedIdentifiers, type NamingSource } from './identifiers/carried-identifiers.js';
export { identifiersOf } from './identifiers/identifiers.js';
export type { Fact, SummaryLeaf } from './memory-text.js';
export { pairCalls, type Unit } from './pair-calls.js';
export { fuseRanks } from './recall/fuse-ranks.js';
export { passageOf } from './recall/passage.js';
export type { Recalled } from './recall/recall-note.js';
export { trigramLikeness } from './recall/trigrams.js';
export { currentTask, foldTaskWord, refoldTask, staleTasks } from './state/fold-task.js';
export { isPlainObject, type JsonText } from './state/json-text.js';
export { foldTask, type StateField, type TaskState, type TaskWord } from './state/task-state.js';
export {
  parseStrategy,
  type Strategy,
  StrategyFileError,
  strategyFromCanonical,
  type StrategySettings,
} from './strategy.js';
export { RESOLVE_TOOL, type SentTool } from './tools/choose-tools.js';
export { type SaidOfTask, taskWord } from './state/task-word.js';
export { declareTools, type DeclaredTools, type ToolDeclaration } from './tools/tool-declaration.js';
export { stemsOf } from './weights/stems.js';

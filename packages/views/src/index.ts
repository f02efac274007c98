export { type Accepted, acceptBatch, type AppendToLog } from './accept.js';
export { AcceptConflictError, type Conflict } from './accept-conflict.js';
export { findOriginal, type Original, type OriginalRequest } from './artifacts.js';
export type { Candidate } from './candidate.js';
export {
  createGeneration,
  ensureLiveGeneration,
  findGeneration,
  type Generation,
  type GenerationStatus,
  listGenerations,
  liveGeneration,
} from './generations.js';
export {
  type ApiKey,
  createKey,
  findKey,
  type ListedKey,
  listKeys,
  revokeKey,
  type Scope,
  SCOPES,
} from './keys.js';
export { migrate } from './migrate.js';
export { grepLines, type LineMatch, PatternError, type Search } from './grep-lines.js';
export { openObjectStore, type ObjectStoreSettings } from './object-store/open-object-store.js';
export type { ObjectStore } from './object-store/object-store.js';
export { formatPosition, parsePosition, type Place } from './position.js';
export { type Lines, readLines } from './read-lines.js';
export { removeArtifacts, removeUnnamed, sweepObjects } from './remove-artifacts.js';
export { type ArtifactRow, storeArtifacts } from './store-artifacts.js';
export {
  type Behind,
  BehindError,
  GenerationError,
  previousGeneration,
  promoteGeneration,
  retireGeneration,
} from './switch-generation.js';

export { exactJson, foldControl } from './fold-control.js';
export { pinnedEntries } from './pinned-entries.js';
export { type EntryEvent, type Rendered, toEntry } from './to-entry.js';
export { createTruncator, type TruncatorOptions } from './truncator.js';

export { type EntryEvent, type Rendered, toEntry } from './to-entry.js';
export { createTruncator, type TruncatorOptions } from './truncator.js';

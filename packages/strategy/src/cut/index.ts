export { cut } from './cut.js';
export { detectContentType } from './detect.js';
export { PathError } from './json/parse-path.js';
export { type Field, type FieldValue, readFields } from './json/read-fields.js';
export type { CutInput, CutOptions, Rendition } from './rendition.js';
export type { Counter } from './rule.js';
export { type ContentType, mimeOfType } from './rules.js';
export { wellFormed } from './well-formed.js';

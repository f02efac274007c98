export { cut } from './cut.js';
export type { ContentType, Counter, CutInput, CutOptions, Rendition } from './cut.js';
export { detectContentType } from './detect.js';
export { wellFormed } from './well-formed.js';

export { createTruncator, type TruncatorOptions } from './truncator.js';

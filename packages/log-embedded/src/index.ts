export { createEmbeddedLog } from './embedded-log.js';
export type { EmbeddedLog, EmbeddedLogOptions } from './embedded-log.js';

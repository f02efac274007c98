export * from './codec.js';
export { inputDigest } from './digest.js';
export * from './event.js';
export { type InputEvent, inputBatch, inputEvent } from './input.js';
export { parseJson, writeJson } from './parse-json.js';
export * from './schemas.js';
export { type Origin, toEvent } from './to-event.js';
export * from './topics.js';
export { UndecodableError } from './undecodable-error.js';

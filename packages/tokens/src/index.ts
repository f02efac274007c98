// Public surface of this package.
export {
  type CountedMessage,
  countMessage,
  IMAGE_TOKENS,
  MESSAGE_OVERHEAD_TOKENS,
  REPLY_PRIMING_TOKENS,
  TOOL_CALL_OVERHEAD_TOKENS,
} from './count-message.js';
export {
  countTool,
  type CountedTool,
  countTools,
  TOOL_OVERHEAD_TOKENS,
  TOOLS_OVERHEAD_TOKENS,
} from './count-tools.js';
export { soundCutBefore } from './grapheme.js';
export { modelTokenizer, UNKNOWN_MODEL_MARGIN } from './models.js';
export { coldTokenCounter, type TokenCounter, tokenCounter } from './token-counter.js';
export type { Encoding } from './vocabulary.js';

export { openAiViolations } from './openai-rules.js';

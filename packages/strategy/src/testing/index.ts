export { aiSdkViolations } from './ai-sdk-rules.js';
export { anthropicViolations } from './anthropic-rules.js';
export { openAiViolations } from './openai-rules.js';
export { samplesByType } from '../cut/samples-by-type.js';

export { createSummarizer, type SummarizerOptions } from './summarizer.js';

export { createSummarizer, createSummarizerFor, type SummarizerOptions } from './summarizer.js';

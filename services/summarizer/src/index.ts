export {
  createSummarizer,
  createSummarizerFor,
  isWorthSummarizing,
  type SummarizerOptions,
  summarySettings,
} from './summarizer.js';

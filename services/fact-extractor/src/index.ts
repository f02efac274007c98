export {
  createFactExtractor,
  createFactExtractorFor,
  factSettings,
  isWorthExtracting,
  type FactExtractorOptions,
} from './fact-extractor.js';

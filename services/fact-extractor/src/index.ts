export { checkFacts, type CheckedFacts } from './check-facts.js';
export {
  createFactExtractor,
  createFactExtractorFor,
  factSettings,
  isWorthExtracting,
  type FactExtractorOptions,
} from './fact-extractor.js';

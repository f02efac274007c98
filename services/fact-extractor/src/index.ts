export { createFactExtractor, type FactExtractorOptions } from './fact-extractor.js';

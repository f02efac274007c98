export { createFactExtractor, createFactExtractorFor, type FactExtractorOptions } from './fact-extractor.js';

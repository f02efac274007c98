import type { Counter } from './rule.js';
import type { ContentType } from './rules.js';

/** A text to cut with what is known of it. `declaredType` is a MIME type or a content type by name. */
export interface CutInput {
  text: string;
  declaredType?: string | null;
  tool?: string | null;
  isError?: boolean;
  /** Already detected by an earlier run: taken as it is, unless the text plainly is not of that type. */
  type?: ContentType | null;
}

/** `maxTokens` bounds the whole rendition, marker included. `handle` is the artifact id the marker names. */
export interface CutOptions {
  maxTokens: number;
  handle?: string | null;
  counter: Counter;
  /** Characters of an article's prose that go before its tables and the rest; 800 unless given. */
  htmlLeadChars?: number;
  /** Fields to project JSON on: a bare name matches at any depth, a dotted path from the root. */
  jsonFields?: readonly string[] | null;
}

/** A text as cut: `dropped` says in a few words what is missing and is null when nothing is. */
export interface Rendition {
  text: string;
  type: ContentType;
  tokens: number;
  cut: boolean;
  dropped: string | null;
}

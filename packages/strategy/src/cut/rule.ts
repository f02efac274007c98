/**
 * Counts and clips text in the tokens of one model. Structural, so that this package names no tokenizer:
 * `@palimpsest/tokens` satisfies it. `head` and `tail` give the longest sound prefix or suffix within the
 * limit, with grapheme clusters whole; all three take linear time.
 */
export interface Counter {
  count(text: string): number;
  head(text: string, maxTokens: number): string;
  tail(text: string, maxTokens: number): string;
}

/** What a text is, as far as cutting is concerned. */
export type ContentType =
  | 'text'
  | 'json'
  | 'html'
  | 'stack-trace'
  | 'log'
  | 'table'
  | 'code'
  | 'markdown'
  | 'binary';

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

/** What a rule is given beside the text. `nested` cuts a text found inside (a trace in a JSON string). */
export interface RuleContext {
  readonly maxTokens: number;
  readonly handle: string | null;
  readonly counter: Counter;
  readonly htmlLeadChars: number;
  readonly jsonFields: readonly string[] | null;
  nested(text: string, maxTokens: number): string | null;
}

/** A rule's answer; `cut` counts it again and falls back to plain text if it is over the cap. */
export interface RuleResult {
  readonly text: string;
  readonly dropped: string | null;
}

/**
 * How one content type is recognized and cut. Adding a type is one folder with a `Rule` and one line in
 * `rules.ts`. Every function is pure and linear in the text.
 */
export interface Rule {
  readonly type: ContentType;
  /** MIME types, lower case, without parameters, that declare the type. */
  readonly mimes: readonly string[];
  /** Tool names that usually answer with this type, or null. A hint only: `accepts` must agree. */
  readonly tools: RegExp | null;
  /** Whether a text declared or hinted to be of this type can be. */
  accepts(text: string): boolean;
  /** Whether the content alone shows the type. */
  detects(text: string, isError: boolean): boolean;
  /** The text within `maxTokens`, or null when it is not of this type after all. Called only above the cap. */
  cut(text: string, context: RuleContext): RuleResult | null;
}

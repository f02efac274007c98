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
 * How one content type is recognized and cut. Adding a type is one folder with a `Rule`, its fixtures and its
 * tests, and one line in `rules.ts`, from which `ContentType` follows. Every function is pure and linear in
 * the text.
 */
export interface Rule<Type extends string = string> {
  readonly type: Type;
  /** The MIME type under which an original of this type is kept. */
  readonly mime: string;
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

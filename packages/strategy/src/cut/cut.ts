import { collapseDataUrls } from './data-urls.js';
import { detectContentType } from './detect.js';
import { fits } from './fits.js';
import { marker } from './marker.js';
import type { CutInput, CutOptions, Rendition } from './rendition.js';
import type { RuleContext, RuleResult } from './rule.js';
import { type ContentType, rules } from './rules.js';
import { cutText } from './text/text-rule.js';

/** The published recipe for encyclopedia pages; 500 is usual for news. */
const LEAD_CHARS = 800;
/** Types worth cutting by their own rule when found inside another text. */
const NESTED: ReadonlySet<ContentType> = new Set(['stack-trace', 'html', 'xml', 'diff', 'binary']);
/** Types whose rules show no bytes by themselves, or whose form a note in the middle would break. */
const KEEP_DATA_URLS: ReadonlySet<ContentType> = new Set(['json', 'html', 'xml', 'binary']);

/**
 * The text within `maxTokens` by the rule of its type, what was dropped and the handle named in it.
 * A text that fits is returned byte for byte (so cutting twice is cutting once). The result is counted
 * before it is returned: it never exceeds the cap. Linear time. Smallest caps: JSON stays valid from
 * 1 token (`{}`, `[]`, `""`), other types shrink to `…`; at 0 tokens every type is the empty string.
 * The text should be well-formed (`wellFormed`).
 */
export function cut(input: CutInput, options: CutOptions): Rendition {
  const { counter } = options;
  const maxTokens = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(options.maxTokens) || 0));
  const type = detectContentType(input);
  if (fits(input.text, maxTokens, counter)) {
    return { text: input.text, type, tokens: counter.count(input.text), cut: false, dropped: null };
  }
  const context: RuleContext = {
    maxTokens,
    counter,
    handle: options.handle ?? null,
    htmlLeadChars: options.htmlLeadChars ?? LEAD_CHARS,
    jsonFields: options.jsonFields ?? null,
    nested: (text, cap) => cutNested(text, cap, options),
  };
  const text = KEEP_DATA_URLS.has(type) ? input.text : collapseDataUrls(input.text);
  const collapsed = text === input.text ? null : withoutDataUrls(text, context);
  const result = collapsed === null ? byRule(type, text, context) : { ...collapsed, type };
  if (result !== null) return { ...result, cut: true };
  const plain = within(cutText(text, context), context) ?? {
    text: '',
    tokens: 0,
    dropped: 'everything',
  };
  return { ...plain, type: 'text', cut: true };
}

function byRule(type: ContentType, text: string, context: RuleContext) {
  const result = rules.find((rule) => rule.type === type)?.cut(text, context) ?? null;
  const counted = result === null ? null : within(result, context);
  return counted === null ? null : { ...counted, type };
}

/** The whole text but for the bytes in it, when that is enough. */
function withoutDataUrls(text: string, context: RuleContext) {
  const note = marker('data URLs cut', context.handle, context.maxTokens, context.counter, 0.35);
  const result = { text: `${text}\n${note}`, dropped: 'data URLs cut' };
  return fits(result.text, context.maxTokens, context.counter) ? within(result, context) : null;
}

function within(result: RuleResult, context: RuleContext) {
  const tokens = context.counter.count(result.text);
  return tokens <= context.maxTokens ? { text: result.text, tokens, dropped: result.dropped } : null;
}

function cutNested(text: string, maxTokens: number, options: CutOptions): string | null {
  const type = detectContentType({ text });
  if (!NESTED.has(type)) return null;
  const context: RuleContext = {
    maxTokens,
    counter: options.counter,
    handle: null,
    htmlLeadChars: options.htmlLeadChars ?? LEAD_CHARS,
    jsonFields: null,
    nested: () => null,
  };
  return byRule(type, text, context)?.text ?? null;
}

import { binaryRule } from './binary/binary-rule.js';
import { codeRule } from './code/code-rule.js';
import { diffRule } from './diff/diff-rule.js';
import { htmlRule } from './html/html-rule.js';
import { jsonRule } from './json/json-rule.js';
import { logRule } from './log/log-rule.js';
import { markdownRule } from './markdown/markdown-rule.js';
import type { Rule } from './rule.js';
import { stackTraceRule } from './stack-trace/stack-trace-rule.js';
import { tableRule } from './table/table-rule.js';
import { textRule } from './text/text-rule.js';
import { xmlRule } from './xml/xml-rule.js';

/** In the order their `detects` is asked: the surest first, plain text last. */
const inOrder = [
  binaryRule,
  jsonRule,
  htmlRule,
  xmlRule,
  stackTraceRule,
  diffRule,
  codeRule,
  tableRule,
  logRule,
  markdownRule,
  textRule,
] as const;

/** What a text is, as far as cutting is concerned. */
export type ContentType = (typeof inOrder)[number]['type'];

/** Every content type. */
export const rules: readonly Rule<ContentType>[] = inOrder;

/** The MIME type under which an original of this type is kept. */
export function mimeOfType(type: ContentType): string {
  return rules.find((rule) => rule.type === type)?.mime ?? 'text/plain';
}

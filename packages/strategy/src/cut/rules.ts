import { binaryRule } from './binary/binary-rule.js';
import { codeRule } from './code/code-rule.js';
import { htmlRule } from './html/html-rule.js';
import { jsonRule } from './json/json-rule.js';
import { logRule } from './log/log-rule.js';
import { markdownRule } from './markdown/markdown-rule.js';
import type { Rule } from './rule.js';
import { stackTraceRule } from './stack-trace/stack-trace-rule.js';
import { tableRule } from './table/table-rule.js';
import { textRule } from './text/text-rule.js';

/** Every content type, in the order their `detects` is asked: the surest first, plain text last. */
export const rules: readonly Rule[] = [
  binaryRule,
  jsonRule,
  htmlRule,
  stackTraceRule,
  codeRule,
  tableRule,
  logRule,
  markdownRule,
  textRule,
];

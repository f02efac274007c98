import { NEVER } from '../fit-lines.js';
import { cutLines } from '../line-rule.js';
import type { Rule } from '../rule.js';

const DIFF = /^(?:diff --git |--- \S|\+\+\+ \S|@@ -\d+)/;
const SIGNATURE =
  /^\s*(?:export |public |private |protected |static |async |abstract |final |pub |override |default |virtual |internal )*(?:class|interface|function|def|fn|func|struct|enum|trait|impl|type|module|namespace|object|record|const|let|var|package|import|from|use|#include|CREATE|create table)\b/;
const METHOD = /^\s{1,8}(?:[\w<>[\],.*&]+ ){0,4}\w+\([^()]{0,200}\)[^;]{0,80}\{\s*$/;
const SAMPLE = 300;

/** Diffs: file and hunk heads, then changed lines, then context. Code: signatures first, then bodies. */
export const codeRule: Rule = {
  type: 'code',
  mimes: [
    'text/x-diff',
    'text/x-patch',
    'text/javascript',
    'application/javascript',
    'text/x-python',
    'text/x-java',
  ],
  tools: /(?:^|[_.-])(?:diff|read_file|cat_file|view_file|git_show)(?:$|[_.-])/i,
  accepts: (text) => isDiff(text) || signatures(text) >= 1,
  detects: (text) => isDiff(text) || signatures(text) >= 5,
  cut: (text, context) => {
    const lines = text.split('\n');
    const rank = isDiff(text) ? rankDiffLine : rankCodeLine;
    return cutLines(
      lines.map((line) => ({
        text: line,
        priority: line.trim() === '' ? NEVER : rank(line.slice(0, SAMPLE)),
      })),
      'line',
      context,
    );
  },
};

function isDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+)/m.test(text.slice(0, 4_000)) && /^[+-]/m.test(text.slice(0, 8_000));
}

function rankDiffLine(line: string): number {
  if (DIFF.test(line)) return line.startsWith('@@') ? 1 : 0;
  return line.startsWith('+') || line.startsWith('-') ? 2 : 5;
}

function rankCodeLine(line: string): number {
  if (SIGNATURE.test(line))
    return /^\s*(?:import|from|use|#include|package)\b/.test(line) ? 4 : /^\S/.test(line) ? 0 : 1;
  return METHOD.test(line) ? 2 : 6;
}

function signatures(text: string): number {
  let count = 0;
  for (const line of text.slice(0, 16_000).split('\n')) {
    const sample = line.slice(0, SAMPLE);
    if (SIGNATURE.test(sample) && /[{}();:=<>]/.test(sample)) count += 1;
  }
  return count;
}

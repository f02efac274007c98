import { type Line, NEVER } from '../fit-lines.js';
import { cutLines } from '../line-rule.js';
import type { Rule } from '../rule.js';

const SIGNATURE =
  /^\s*(?:export |public |private |protected |static |async |abstract |final |pub |override |default |virtual |internal )*(?:class|interface|function|def|fn|func|struct|enum|trait|impl|type|module|namespace|object|record|const|let|var|package|import|from|use|#include|CREATE|create table)\b/;
const METHOD = /^\s{1,8}(?:[\w<>[\],.*&]+ ){0,4}\w+\([^()]{0,200}\)[^;]{0,80}\{\s*$/;
/** As `cat -n`, editors and agents' viewers put before each line. */
const LINE_NUMBER = /^\s{0,8}\d{1,7}(?:[\t:|→]| {2,4})/;
const SAMPLE = 300;

/** Signatures first, then the lines right under them, then the rest; imports stay while there is room. */
export const codeRule: Rule<'code'> = {
  type: 'code',
  mime: 'text/plain',
  mimes: ['text/javascript', 'application/javascript', 'text/x-python', 'text/x-java'],
  tools: /(?:^|[_.-])(?:read_file|cat_file|view_file|open_file)(?:$|[_.-])/i,
  accepts: (text) => signatures(text) >= 1,
  detects: (text) => signatures(text) >= 5,
  cut: (text, context) => cutLines(rankCode(text.split('\n')), 'line', context),
};

function rankCode(lines: readonly string[]): Line[] {
  let sinceSignature = Number.POSITIVE_INFINITY;
  return lines.map((text) => {
    if (text.trim() === '') return { text, priority: NEVER };
    const rank = rankCodeLine(text.slice(0, SAMPLE).replace(LINE_NUMBER, ''));
    sinceSignature = rank <= 2 ? 0 : sinceSignature + 1;
    // What a function does first says more than what it does last.
    return { text, priority: rank === 6 ? Math.min(8, 5 + Math.floor(sinceSignature / 4)) : rank };
  });
}

function rankCodeLine(line: string): number {
  // A variable inside of a body is no signature.
  if (/^\s+(?:const|let|var|import|from|use|type)\b/.test(line)) return 6;
  if (SIGNATURE.test(line))
    return /^\s*(?:import|from|use|#include|package)\b/.test(line) ? 4 : /^\S/.test(line) ? 0 : 1;
  return METHOD.test(line) ? 2 : 6;
}

function signatures(text: string): number {
  let count = 0;
  for (const line of text.slice(0, 16_000).split('\n')) {
    const sample = line.slice(0, SAMPLE).replace(LINE_NUMBER, '');
    if ((SIGNATURE.test(sample) && /[{}();:=<>]/.test(sample)) || METHOD.test(sample)) count += 1;
  }
  return count;
}

import { PathError, readFields } from '@palimpsest/strategy';
import { grepLines, type Original, PatternError } from '@palimpsest/views';
import { z } from 'zod';
import type { Limits } from '../options.js';
import { invalidField, Problem } from '../problem.js';
import { wholeNumber } from '../validate.js';

const MOST_MATCHES = 500;
const MOST_PATHS = 20;
const MOST_VALUES = 1_000;
const LONGEST_PATH = 300;

export const grepQuery = {
  pattern: z
    .string()
    .min(1)
    .describe('A regular expression of RE2 (no look-around, no back-references); `(?i)` ignores case.'),
  from: wholeNumber(1, 100_000_000).default(1).describe('First line searched, counted from 1.'),
  max: wholeNumber(1, MOST_MATCHES).default(50).describe(`Matching lines answered, at most ${MOST_MATCHES}.`),
};
export const fieldsQuery = {
  paths: z
    .string()
    .min(1)
    .describe(
      `Up to ${MOST_PATHS} JSON paths with commas between: \`$.orders[0].total,orders[*].id,$..email\`.`,
    ),
  as: z
    .enum(['value', 'text'])
    .default('value')
    .describe('`text`: each value as a string of JSON, for readers that would round large numbers.'),
  max: wholeNumber(1, MOST_VALUES).default(100).describe(`Values of each path, at most ${MOST_VALUES}.`),
};

/** The lines of an original that match, with what ended the search early, if anything did. */
export async function grep(
  found: Original,
  query: { pattern: string; from: number; max: number },
  limits: Limits,
): Promise<object> {
  try {
    const { matches, total, searched, endedBy } = await grepLines(found.text, query.pattern, {
      from: query.from,
      maxMatches: query.max,
      maxBytes: limits.linesBytes,
      maxMs: limits.grepMs,
    });
    const next = endedBy === null ? {} : { next_from: Math.max(query.from, searched + 1) };
    return { matches, total_lines: total, truncated: endedBy !== null, ended_by: endedBy, ...next };
  } catch (error) {
    if (error instanceof PatternError) throw invalidField('?pattern', error.message);
    throw error;
  }
}

/** The values at paths of an original, as JSON text: numbers stay as they were written, however large. */
export function fields(
  found: Original,
  query: { paths: string; as: 'value' | 'text'; max: number },
  limits: Limits,
): string {
  const paths = splitPaths(query.paths);
  if (paths.length > MOST_PATHS) throw invalidField('?paths', `asks for more than ${MOST_PATHS} paths`);
  const tooLong = paths.find((path) => path.length > LONGEST_PATH);
  if (tooLong !== undefined)
    throw invalidField('?paths', `has a path of more than ${LONGEST_PATH} characters`);
  let read: ReturnType<typeof readFields>;
  try {
    read = readFields(found.text, paths, { maxValues: query.max, maxChars: limits.linesBytes });
  } catch (error) {
    if (error instanceof PathError) throw invalidField('?paths', error.message);
    throw error;
  }
  if (read === null) {
    throw new Problem(
      'not-json',
      `The original is not JSON (${found.mime}): search it with grep, or read lines.`,
    );
  }
  const written = read.map(({ path, total, values }) => {
    const list = values.map(({ path: place, json, omitted }) =>
      json === null
        ? `{"path":${JSON.stringify(place)},"omitted":${JSON.stringify(omitted)}}`
        : `{"path":${JSON.stringify(place)},"${query.as}":${query.as === 'text' ? JSON.stringify(json) : json}}`,
    );
    return `{"path":${JSON.stringify(path)},"total":${total},"values":[${list.join(',')}]}`;
  });
  return `[${written.join(',')}]`;
}

/** Paths at commas that stand outside of brackets: a quoted name may hold a comma, or a bracket. */
function splitPaths(text: string): string[] {
  const parts = text.match(/(?:\[\s*"(?:[^"\\]|\\.)*"\s*\]|\[\s*'(?:[^'\\]|\\.)*'\s*\]|[^,])+/g) ?? [];
  return parts.map((path) => path.trim()).filter((path) => path !== '');
}

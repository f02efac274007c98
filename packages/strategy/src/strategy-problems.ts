import { isMap, isScalar, type Document, type LineCounter, type Node } from 'yaml';
import type { z } from 'zod';

/**
 * What is wrong with a strategy file, one line each: file, line, field and remedy. The line is that of the value; of a
 * key that should not be there its own; of one that is missing that of the map it is missing from.
 */
export function strategyProblems(
  issues: readonly z.core.$ZodIssue[],
  document: Document.Parsed,
  lines: LineCounter,
  file: string,
): string[] {
  const problems: string[] = [];
  for (const issue of issues) {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const at = lineOf(keyNode(document, path, key), lines) ?? lineOfPath(document, path, lines);
        problems.push(
          `${file}:${at}: ${[...path, key].join('.')}: is not a setting; docs/strategies.md lists them`,
        );
      }
      continue;
    }
    const field = path.join('.') || 'strategy';
    problems.push(`${file}:${lineOfPath(document, path, lines)}: ${field}: ${remedyOf(issue)}`);
  }
  return problems;
}

/** The messages of zod are kept where they say what is wanted; a missing value is named as that. */
function remedyOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' && issue.input === undefined && issue.message.includes('undefined')
    ? `is missing: give a ${issue.expected}`
    : issue.message;
}

/** Line of the value at a path, or of the nearest that is there. */
function lineOfPath(document: Document.Parsed, path: readonly string[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length -= 1) {
    const at = path.slice(0, length);
    const node = nodeAt(document, at);
    const line =
      lineOf(node, lines) ?? lineOf(keyNode(document, at.slice(0, -1), at.at(-1) as string), lines);
    if (line !== undefined) return line;
  }
  return 1;
}

function nodeAt(document: Document.Parsed, path: readonly string[]): Node | null {
  let node: unknown = document.contents;
  for (const name of path) {
    node = isMap(node) ? node.items.find((pair) => keyText(pair.key) === name)?.value : undefined;
  }
  return (node as Node | undefined) ?? null;
}

function keyNode(document: Document.Parsed, path: readonly string[], key: string): Node | null {
  const map = nodeAt(document, path);
  if (!isMap(map)) return null;
  return (map.items.find((pair) => keyText(pair.key) === key)?.key as Node | undefined) ?? null;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function lineOf(node: Node | null, lines: LineCounter): number | undefined {
  return node?.range ? lines.linePos(node.range[0]).line : undefined;
}

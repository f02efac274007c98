import { jsonrepair } from 'jsonrepair';

export type ParsedAnswer = { ok: true; value: unknown } | { ok: false; why: string };

/** Longest answer that repair is tried on: it is meant for facts, not for dumps. */
const REPAIR_LIMIT = 200_000;

/**
 * The JSON in a model's answer, by falling trust: the answer as it is; the body of a fence that opens at the start of
 * a line (never one inside a JSON string); the outermost object after prose; a repair (None, single quotes, raw line
 * breaks, trailing commas). `accept` says whether a value is what was asked for, so that an unrelated fence is passed over.
 */
export function parseJsonAnswer(answer: string, accept: (value: unknown) => boolean): ParsedAnswer {
  const text = answer.replace(/^\uFEFF/u, '').trim();
  if (text === '') return { ok: false, why: 'the answer is empty' };
  const whole = parse(text);
  if (whole.ok) return whole; // valid JSON is used as it is, right shape or not
  const objects = objectsIn(text);
  for (const part of [...objects, ...fencesIn(text)]) {
    const value = parse(part);
    if (value.ok && accept(value.value)) return value;
  }
  // Only what is balanced is repaired: closing what a model left open would make facts of a cut-off answer.
  for (const part of objects) {
    const value = repair(part);
    if (value.ok && accept(value.value)) return value;
  }
  return whole;
}

function parse(text: string): ParsedAnswer {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

function repair(text: string): ParsedAnswer {
  if (text.length > REPAIR_LIMIT) return { ok: false, why: `longer than ${REPAIR_LIMIT} characters` };
  try {
    return parse(jsonrepair(text));
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** Top-level `{…}` spans, found by one pass that knows strings: braces and fences inside a string count for nothing. */
function objectsIn(text: string): string[] {
  const spans: string[] = [];
  let depth = 0;
  let start = -1;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (depth > 0 && character === '"') inString = true;
    else if (character === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) spans.push(text.slice(start, at + 1));
    }
  }
  return spans;
}

function fencesIn(text: string): string[] {
  const bodies: string[] = [];
  let open: string[] | null = null;
  for (const line of text.split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/u.test(line)) {
      if (open === null) open = [];
      else {
        bodies.push(open.join('\n').trim());
        open = null;
      }
    } else open?.push(line);
  }
  if (open !== null) bodies.push(open.join('\n').trim());
  return bodies;
}

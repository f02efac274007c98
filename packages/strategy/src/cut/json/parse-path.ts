/** A step of a path: a member, an item (from the end where negative), a slice, all children, or all below. */
export type PathStep =
  | { kind: 'name'; name: string }
  | { kind: 'index'; index: number }
  | { kind: 'slice'; from: number | null; to: number | null }
  | { kind: 'all' }
  | { kind: 'below' };

/** A path that cannot be read; the message is for who wrote it. */
export class PathError extends Error {
  override name = 'PathError';
}

const MOST_STEPS = 32;
const NAME = /[\p{L}_$@-][\p{L}\p{N}_$@-]*/uy;
const SUBSCRIPT = /\[\s*(?:(\*)|(-?\d{1,9})?\s*(:)?\s*(-?\d{1,9})?)\s*\]/y;
const QUOTED = /\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/y;

/**
 * Reads a path of JSONPath (RFC 9535) without filters: `$.orders[0].total`, `orders[*].id`, `$..email`, `items[-1]`,
 * `items[0:5]`, `["odd name"]`. The leading `$` may be left out. Throws PathError.
 */
export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  let at = path.startsWith('$') && (path.length === 1 || '.['.includes(path.charAt(1))) ? 1 : 0;
  while (at < path.length) {
    if (steps.length >= MOST_STEPS) throw new PathError(`has more than ${MOST_STEPS} steps`);
    if (path.startsWith('..', at)) {
      steps.push({ kind: 'below' });
      at += 2;
      if (path.charAt(at) !== '[') at = readName(path, at, steps);
    } else if (path.charAt(at) === '[') {
      at = readBracket(path, at, steps);
    } else {
      if (path.charAt(at) === '.') at += 1;
      else if (steps.length > 0) throw wrong(path, at);
      at = readName(path, at, steps);
    }
  }
  return steps;
}

function readName(path: string, at: number, steps: PathStep[]): number {
  if (path.charAt(at) === '*') {
    steps.push({ kind: 'all' });
    return at + 1;
  }
  NAME.lastIndex = at;
  const name = NAME.exec(path)?.[0];
  if (name === undefined) throw wrong(path, at);
  steps.push({ kind: 'name', name });
  return at + name.length;
}

function readBracket(path: string, at: number, steps: PathStep[]): number {
  QUOTED.lastIndex = at;
  const quoted = QUOTED.exec(path);
  if (quoted !== null) {
    steps.push({ kind: 'name', name: unquote(path, at, quoted[1] ?? '') });
    return at + quoted[0].length;
  }
  SUBSCRIPT.lastIndex = at;
  const found = SUBSCRIPT.exec(path);
  if (found === null) throw wrong(path, at);
  const [whole, star, first, colon, second] = found;
  if (star !== undefined) steps.push({ kind: 'all' });
  else if (colon !== undefined) steps.push({ kind: 'slice', from: numberOf(first), to: numberOf(second) });
  else if (first !== undefined && second === undefined) steps.push({ kind: 'index', index: Number(first) });
  else throw wrong(path, at);
  return at + whole.length;
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

function unquote(path: string, at: number, quoted: string): string {
  const inside = quoted.slice(1, -1);
  const json = quoted.startsWith('"')
    ? inside
    : inside.replaceAll(/\\'|"/g, (mark) => (mark === '"' ? '\\"' : "'"));
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    throw wrong(path, at);
  }
}

function wrong(path: string, at: number): PathError {
  return new PathError(
    `cannot be read at "${path.slice(at, at + 20)}": write it like $.orders[0].total, orders[*].id or $..email`,
  );
}

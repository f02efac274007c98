import type { z } from 'zod';
import type { FieldError } from './problem.js';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Errors told at most; the detail says how many there are. */
const MAX_ERRORS = 50;

/**
 * What a schema found wrong, one error per field, with the path of the deepest field concerned: of a union the branch
 * that came furthest is told, of an unknown field the field itself. Values are never repeated.
 */
export function describeIssues(
  issues: readonly Issue[],
  pathText: (path: Path) => string,
): { errors: FieldError[]; total: number } {
  const flat = issues.flatMap((issue) => flatten(issue, []));
  return {
    total: flat.length,
    errors: flat.slice(0, MAX_ERRORS).map(({ path, message }) => ({ path: pathText(path), message })),
  };
}

/** RFC 6901: `~` is `~0`, `/` is `~1`. */
export function jsonPointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

interface Flat {
  path: Path;
  message: string;
}

function flatten(issue: Issue, above: Path): Flat[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a field of this object' }));
  }
  if (issue.code === 'invalid_union') {
    const furthest = furthestBranch(issue.errors as readonly (readonly Issue[])[]);
    if (furthest !== undefined) return furthest.flatMap((inner) => flatten(inner, path));
  }
  return [{ path, message: plainMessage(issue) }];
}

/** The branch whose issues all lie inside the value, i.e. which took it for what it is; undefined where none did. */
function furthestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find((branch) => branch.length > 0 && branch.every((issue) => depth(issue) > 0));
}

function depth(issue: Issue): number {
  return issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0);
}

const MISMATCH = /^Invalid input: expected (.+), received (.+)$/;

function plainMessage(issue: Issue): string {
  const mismatch = MISMATCH.exec(issue.message);
  if (mismatch !== null) {
    return mismatch[2] === 'undefined' ? 'is missing' : `must be of type ${mismatch[1]}, not ${mismatch[2]}`;
  }
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'must be an object';
  return issue.message;
}

import { isPlainObject } from './json-text.js';

/**
 * RFC 7396: members of the patch replace those of the target, null removes them, objects merge. Neither argument is
 * changed. `__proto__` is a name like any other.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const merged = new Map<string, unknown>(isPlainObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Of a patch to a list: what to put at its end, and what to take out. RFC 7396 alone can only replace a list. */
interface ListPatch {
  add: unknown[];
  remove: unknown[];
}

/** The patch as one of a list: an object with `add`, `remove` or both, each a list, and nothing else. */
export function listPatchOf(patch: unknown): ListPatch | null {
  if (!isPlainObject(patch)) return null;
  const { add = [], remove = [], ...rest } = patch;
  if (Object.keys(rest).length > 0 || Object.keys(patch).length === 0) return null;
  return Array.isArray(add) && Array.isArray(remove) ? { add, remove } : null;
}

/** The list without the items removed, then with those added that it does not have. Items are equal by their JSON. */
export function patchList(
  list: readonly unknown[],
  { add, remove }: ListPatch,
  write: (value: unknown) => string,
): unknown[] {
  const removed = new Set(remove.map(write));
  const kept = list.filter((item) => !removed.has(write(item)));
  const known = new Set(kept.map(write));
  for (const item of add) {
    if (known.has(write(item))) continue;
    known.add(write(item));
    kept.push(item);
  }
  return kept;
}

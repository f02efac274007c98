import { RegistryError, RegistryUnavailable } from './registry-error.js';

/**
 * SQLSTATE classes that pass by themselves: connection (08), out of means (53), server going down or starting (57),
 * system (58), serialization and deadlock (40), lock not available (55).
 */
const PASSING = /^(?:08|40|53|55|57|58)/;

/** A failure of Postgres in the registry's terms. What is one already stays as it is. */
export function toRegistryFailure(what: string, cause: unknown): Error {
  if (cause instanceof RegistryError || cause instanceof RegistryUnavailable) return cause;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  // five characters are Postgres' own; all else (ECONNREFUSED, no code at all) comes from the connection
  const isSql = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  if (isSql && !PASSING.test(code)) {
    return new RegistryError(500, `The registry could not ${what}: ${String(message)} (${code})`, { cause });
  }
  return new RegistryUnavailable(`The registry could not ${what} now: ${String(message)}. Is Postgres up?`, {
    cause,
  });
}

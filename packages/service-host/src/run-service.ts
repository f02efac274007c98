import { constants } from 'node:os';
import { hostService, type ServiceOptions, type ServiceSettings } from './host-service.js';
import {
  type ProcessEnvironment,
  readVariables,
  unknownVariables,
  type Variables,
} from './settings/read-variables.js';
import { SERVICE_VARIABLES } from './settings/variables.js';

/**
 * Runs one service as this process, and ends it: exit code 0 after SIGTERM or SIGINT and a drain, 1 with the reason on
 * stderr when it cannot start, cannot go on or does not drain in time. A second signal ends it at once.
 * A parent that spawned it with a channel gets `{ serves, url }` messages; when that parent is gone, it drains.
 */
export async function runService<V extends Variables>(
  options: ServiceOptions<V> & { environment: ProcessEnvironment },
): Promise<never> {
  const { name, environment } = options;
  try {
    const variables: Variables = { ...SERVICE_VARIABLES, ...options.variables };
    const settings = readVariables(environment, variables) as ServiceSettings<V>;
    const known = Object.values(variables).map((variable) => variable.name);
    const unknown = unknownVariables(environment, known);
    if (unknown.length > 0) process.stderr.write(`${name} does not use ${unknown.join(', ')}.\n`);
    await hostService({
      ...options,
      settings,
      signal: untilTold(name, settings.drainSeconds),
      serves: (what, url) => void process.send?.({ serves: what, url }),
    });
  } catch (error) {
    process.stderr.write(`${name} cannot go on: ${reasonOf(error)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

/** Message and causes, a line each. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\n  because: ${reasonOf(error.cause)}`;
  return `${error.message || error.name}${cause}`;
}

function untilTold(name: string, drainSeconds: number): AbortSignal {
  const stopping = new AbortController();
  const drain = (): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    const give = (): never => {
      process.stderr.write(
        `${name} did not drain within ${drainSeconds} s and ends as it is: what was not committed is done again by the next owner. PALIMPSEST_DRAIN_SECONDS sets the time.\n`,
      );
      return process.exit(1);
    };
    setTimeout(give, drainSeconds * 1000).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(128 + constants.signals[signal]);
      drain();
    });
  }
  process.on('disconnect', drain);
  return stopping.signal;
}

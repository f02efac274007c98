import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../environment.js';
import type { Output } from '../output.js';
import { startEmbeddedStack } from '../stack/embedded-stack.js';
import { demonstrate, importSamples } from './demonstration.js';

/** How long SIGTERM may drain before the process ends anyway. */
const DRAIN_MS = 10_000;

/** `palimpsest start`: the embedded stack until Ctrl-C; with samples when the store is empty. */
export async function startCommand(
  options: { once: boolean },
  environment: Environment,
  output: Output,
): Promise<void> {
  const stack = await startEmbeddedStack(
    options.once ? { ...environment, port: 0 } : environment,
    output.progress,
  );
  const stopped = untilSignal();
  try {
    const imported = (await isEmpty(stack)) ? await importSamples(stack, output) : null;
    await stack.settled();
    await demonstrate(stack, imported, output);
    if (options.once) return;
    output.line(`\nThe API serves at ${stack.url} (OpenAPI at ${stack.url}/openapi.json). Ctrl-C stops it.`);
    output.line(
      `API key${stack.isNew ? ' (made now)' : ''}, kept in ${environment.dataFolder}/key:\n  ${stack.key}\n`,
    );
    output.line(
      `  curl -H "Authorization: Bearer ${stack.key}" \\\n    "${stack.url}/v1/conversations/<id>/context?budget=4000"`,
    );
    await Promise.race([stopped, stack.done]);
    output.progress('Stopping…');
  } finally {
    await Promise.race([stack.stop(), delay(DRAIN_MS, undefined, { ref: false })]);
  }
}

async function isEmpty(stack: {
  pool: { query(sql: string): Promise<{ rowCount: number | null }> };
}): Promise<boolean> {
  const { rowCount } = await stack.pool.query('select 1 from palimpsest.accepted_events limit 1');
  return rowCount === 0;
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    const onSignal = (): void => {
      signals += 1;
      if (signals > 1) process.exit(130);
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}

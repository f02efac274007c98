import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { strategyNamed } from '@palimpsest/service-host';
import type { Environment } from '../environment.js';
import { CommandError, type Output } from '../output.js';
import { withStack } from '../stack/connect.js';
import { openDataFolder, runningInstance } from '../stack/data-folder.js';

interface Check {
  name: string;
  run(): Promise<string>;
}

/** Below this an embedded store soon stops. */
const MIN_FREE_BYTES = 1_000_000_000;

/** `palimpsest doctor`: looks at everything the stack needs and says what is wrong and what to do. */
export async function doctorCommand(environment: Environment, output: Output): Promise<void> {
  const results: { name: string; ok: boolean; says: string }[] = [];
  for (const { name, run } of checks(environment, output)) {
    try {
      results.push({ name, ok: true, says: await run() });
    } catch (error) {
      results.push({ name, ok: false, says: (error as Error).message });
    }
  }
  for (const { name, ok, says } of results) output.line(`${ok ? 'ok  ' : 'FAIL'}  ${name}: ${says}`);
  output.value(results);
  const failed = results.filter((result) => !result.ok).length;
  if (failed > 0) throw new CommandError(`${failed} of ${results.length} checks failed.`);
}

function checks(environment: Environment, output: Output): Check[] {
  const folder = openDataFolder(environment.dataFolder);
  return [
    { name: 'node', run: async () => process.versions.node },
    {
      name: 'disk',
      run: async () => {
        const { bavail, bsize } = await statfs(folder.root);
        const free = bavail * bsize;
        if (free < MIN_FREE_BYTES) {
          throw new Error(
            `${Math.round(free / 1e6)} MB free in ${folder.root}; free at least 1 GB or move it with --data.`,
          );
        }
        return `${Math.round(free / 1e9)} GB free in ${folder.root}`;
      },
    },
    { name: 'strategy', run: async () => strategyNamed('default').label },
    {
      name: 'port',
      run: async () => {
        const running = runningInstance(folder);
        if (running !== null) return `a stack runs at ${running.url}`;
        await claimPort(environment.port);
        return `${environment.port} is free`;
      },
    },
    {
      name: 'stack',
      run: () =>
        withStack(environment, output.progress, async (connection) => {
          const response = await fetch(`${connection.url}/readyz`);
          if (!response.ok)
            throw new Error(`${connection.url}/readyz answers ${response.status}: ${await response.text()}`);
          return 'Postgres, ClickHouse, the log and every consumer start and are ready';
        }),
    },
    {
      name: 'model',
      run: async () => {
        const { model } = environment;
        if (model === null)
          return 'offline extractive (PALIMPSEST_MODEL_URL and PALIMPSEST_MODEL choose another)';
        const response = await fetch(`${model.url.replace(/\/+$/, '')}/models`, {
          headers: model.key === null ? {} : { authorization: `Bearer ${model.key}` },
          signal: AbortSignal.timeout(5000),
        }).catch((cause: unknown) => {
          throw new Error(`${model.url} cannot be reached: check PALIMPSEST_MODEL_URL.`, { cause });
        });
        if (response.status === 401)
          throw new Error(`${model.url} refuses the key: check PALIMPSEST_MODEL_KEY.`);
        return `${model.url} answers ${response.status}`;
      },
    },
  ];
}

function claimPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () => {
      reject(
        new Error(`Port ${port} is taken: stop what uses it, or set PALIMPSEST_PORT (0 = any free one).`),
      );
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}

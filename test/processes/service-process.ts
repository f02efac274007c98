import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../harness/command-line.js';

/** A service in a process of its own, to be killed, stopped and resumed at will. */
export interface ServiceProcess {
  child: ChildProcess;
  /** The URL of what it serves, as soon as it does; rejects when it ends before. */
  serves(what: string): Promise<string>;
  /** The sum over all labels of one of its metrics. */
  metric(name: string): Promise<number>;
  /** Its exit code or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** What it has written so far, logs included. */
  written(): string;
}

/** Brings a service's `dist` up to date: processes run as they are built. */
export function buildService(name: string): void {
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-b', `services/${name}`], { cwd: ROOT, stdio: 'pipe' });
}

export function startService(name: string, environment: Readonly<Record<string, string>>): ServiceProcess {
  return startProcess(name, `services/${name}/dist/main.js`, environment);
}

export function startProcess(
  name: string,
  main: string,
  environment: Readonly<Record<string, string>>,
): ServiceProcess {
  const child = spawn(process.execPath, [path.join(ROOT, main)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'], PALIMPSEST_OPERATIONS_PORT: '0', ...environment },
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => (written += data.toString()));
  }
  const urls = new Map<string, string>();
  const looks = new Set<() => void>();
  child.on('message', (message) => {
    const { serves, url } = message as { serves: string; url: string };
    urls.set(serves, url);
    for (const look of looks) look();
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  // Not 'close', which does not come where the channel was closed from our side.
  const silent = [child.stdout, child.stderr].map(
    (stream) => new Promise<void>((resolve) => stream?.once('end', () => resolve())),
  );
  const ended = Promise.all([exited, ...silent]).then(([how]) => how);
  const serves = (what: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const url = urls.get(what);
        if (url === undefined) return;
        looks.delete(look);
        resolve(url);
      };
      looks.add(look);
      void ended.then((how) => reject(new Error(`${name} ended with ${how}:\n${written}`)));
      look();
    });
  return {
    child,
    serves,
    ended,
    written: () => written,
    async metric(metric) {
      const response = await fetch(`${await serves('operations')}/metrics`);
      const lines = (await response.text())
        .split('\n')
        .filter((line) => line.startsWith(`palimpsest_${metric}`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    },
  };
}

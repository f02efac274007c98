import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The command line in a process of its own, as users run it. */
export interface RunningCommand {
  child: ChildProcess;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when that text stands on stdout or stderr; rejects when the process ends without it. */
  says(text: string): Promise<void>;
  /** Resolves when it has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Brings `dist` up to date: the command line is tested as it is built. Costs a second where it is already. */
export function buildCommandLine(): void {
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-b', 'packages/cli'], { cwd: ROOT, stdio: 'pipe' });
}

export function runCommand(args: readonly string[]): RunningCommand {
  const main = path.join(ROOT, 'packages/cli/dist/main.js');
  const child = spawn(process.execPath, [main, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PALIMPSEST_PORT: '0', PALIMPSEST_LOG_LEVEL: 'error' },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!stdout.includes(text) && !stderr.includes(text)) return;
          child.stdout.off('data', look);
          child.stderr.off('data', look);
          resolve();
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        void ended.then(() => reject(new Error(`It ended without "${text}":\n${stdout}${stderr}`)));
        look();
      }),
  };
}

/** Runs a command to its end and returns its stdout; throws with its stderr where it failed. */
export async function finishCommand(args: readonly string[]): Promise<string> {
  const command = runCommand(args);
  const { code, signal } = await command.ended;
  if (code === 0) return command.stdout();
  throw new Error(`palimpsest ${args.join(' ')} ended with ${code ?? signal}:\n${command.stderr()}`);
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that tells this process from a later one with the same number, or null when no such process lives.
 * In a container the numbers start anew at each start, so a number alone says nothing.
 */
export function processIdentity(pid: number): string | null {
  if (!isAlive(pid)) return null;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    // Field 22 of proc_pid_stat(5): start time in clock ticks since boot.
    return `${boot} ${pid} ${fields[19]}`;
  } catch {
    return `${pid} ${psOutput(pid, 'lstart=') ?? ''}`;
  }
}

/** The command line of a living process, or null. */
export function commandLine(pid: number): string | null {
  if (!isAlive(pid)) return null;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return psOutput(pid, 'command=');
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function psOutput(pid: number, column: string): string | null {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

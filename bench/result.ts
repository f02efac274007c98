import { availableParallelism, cpus } from 'node:os';

/** What every bench prints: `value` and `floor` in `unit`, medians of `n` interleaved runs; `ratio` = value / floor. */
export interface BenchResult {
  readonly name: string;
  readonly floor: number;
  readonly value: number;
  readonly ratio: number;
  readonly unit: string;
  readonly n: number;
  readonly machine: Machine;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly node: string;
}

export interface BenchOptions {
  /** Fewer and smaller runs, to see that it works. */
  quick?: boolean;
}

export function thisMachine(): Machine {
  return { cpus: availableParallelism(), model: cpus()[0]?.model ?? 'unknown', node: process.versions.node };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Runs on each size, in turn, so that what else the machine does falls on both alike. */
const RUNS = 3;
/** Times anew when a ratio is too high: noise passes, a quadratic step stays. */
const ROUNDS = 4;
/** No noise makes so many times of what is enough: such a ratio is not measured again. */
const HOPELESS = 3;
/** Under this the clock and the collector decide, not the code. In milliseconds. */
const LEAST_MS = 1;

/**
 * How many times as long ten times the input takes: the ratio of medians of interleaved runs, the least of some
 * rounds, ended early once it is at most `enough`. A linear act gives about 10, a quadratic one 100.
 */
export function growth(act: (size: number) => void, size: number, enough: number): number {
  act(size);
  act(10 * size);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > enough; round += 1) {
    const small: number[] = [];
    const large: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      small.push(timeOf(() => act(size)));
      large.push(timeOf(() => act(10 * size)));
    }
    least = Math.min(least, median(large) / Math.max(LEAST_MS, median(small)));
    if (least > HOPELESS * enough) break;
  }
  return least;
}

function timeOf(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

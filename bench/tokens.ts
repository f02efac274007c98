import { coldTokenCounter, type Encoding, type TokenCounter } from '@palimpsest/tokens';
import { getEncoding } from 'js-tiktoken';
import { chatFixture } from './fixtures.js';
import { type BenchOptions, type BenchResult, median, thisMachine } from './result.js';

const ENCODING: Encoding = 'o200k_base';
const COUNTERS = 8;
const WARM_UP_SECONDS = 0.3;
const SCRIPTS = ['ru', 'uk', 'en'] as const;

/**
 * Our counting speed over js-tiktoken's on Cyrillic chat text. Every repetition counts with a memo that starts empty, so
 * only what repeats within one text is remembered; what a warm memo gives is stated apart, in the details.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const repetitions = options.quick ? 3 : 7;
  const oracle = getEncoding(ENCODING);
  const bySpeed = (text: string): { ours: number[]; theirs: number[]; warm: number[] } => {
    const speeds = { ours: [] as number[], theirs: [] as number[], warm: [] as number[] };
    const megabytes = Buffer.byteLength(text) / 1e6;
    // The same unmeasured time for both sides, so that neither is measured while it is being compiled.
    unmeasured(() => oracle.encode(text, [], []));
    unmeasured(() => coldTokenCounter(ENCODING).count(text));
    for (let i = 0; i < repetitions; i++) {
      // One count takes 1 to 3 ms: several, each by a counter of its own, are what the clock can tell apart.
      const counters = Array.from({ length: COUNTERS }, () => coldTokenCounter(ENCODING));
      let tokens = 0;
      const count = (): void => {
        for (const counter of counters) tokens = counter.count(text);
      };
      speeds.ours.push((COUNTERS * megabytes) / seconds(count));
      speeds.warm.push((COUNTERS * megabytes) / seconds(count));
      let expected = 0;
      speeds.theirs.push(megabytes / seconds(() => (expected = oracle.encode(text, [], []).length)));
      if (tokens !== expected)
        throw new Error(
          `counted ${tokens} tokens where js-tiktoken has ${expected}: the speeds do not compare`,
        );
    }
    return speeds;
  };

  const scripts: Record<
    string,
    { bytes: number; cold: number; warm: number; jsTiktoken: number; ratio: number }
  > = {};
  const cyrillic = { ours: [] as number[], theirs: [] as number[] };
  for (const script of SCRIPTS) {
    const text = chatFixture(script);
    const speeds = bySpeed(text);
    const [cold, warm, jsTiktoken] = [median(speeds.ours), median(speeds.warm), median(speeds.theirs)];
    scripts[script] = { bytes: Buffer.byteLength(text), cold, warm, jsTiktoken, ratio: cold / jsTiktoken };
    if (script !== 'en') {
      cyrillic.ours.push(...speeds.ours);
      cyrillic.theirs.push(...speeds.theirs);
    }
  }
  const value = median(cyrillic.ours);
  const floor = median(cyrillic.theirs);
  return {
    name: 'tokens',
    floor,
    value,
    ratio: value / floor,
    unit: 'MB/s',
    n: cyrillic.ours.length,
    machine: thisMachine(),
    details: {
      encoding: ENCODING,
      floorIs: 'js-tiktoken encode() on the same texts in the same run',
      memo: 'value: empty at the start of each repetition; warm: the same text counted a second time',
      scripts,
      oneLetter: oneLetter(repetitions),
    },
  };
}

/** Time for 1 MB of one letter over the time for 100 kB; linear is 10. js-tiktoken is quadratic and is not asked. */
function oneLetter(repetitions: number): { ms100kB: number; ms1MB: number; ratio: number } {
  const counter: TokenCounter = coldTokenCounter(ENCODING);
  const short = 'a'.repeat(100_000);
  const long = 'a'.repeat(1_000_000);
  const times = { short: [] as number[], long: [] as number[] };
  for (let i = 0; i < 5; i++) counter.count(long);
  for (let i = 0; i < repetitions; i++) {
    times.short.push(1000 * seconds(() => counter.count(short)));
    times.long.push(1000 * seconds(() => counter.count(long)));
  }
  const [ms100kB, ms1MB] = [median(times.short), median(times.long)];
  return { ms100kB, ms1MB, ratio: ms1MB / ms100kB };
}

function unmeasured(act: () => void): void {
  for (let spent = 0; spent < WARM_UP_SECONDS; ) spent += seconds(act);
}

function seconds(act: () => void): number {
  const start = performance.now();
  act();
  return (performance.now() - start) / 1000;
}

import { type ContentType, cut, type Rendition } from '@palimpsest/strategy';
import { samplesByType } from '@palimpsest/strategy/testing';
import { tokenCounter } from '@palimpsest/tokens';
import { type BenchOptions, type BenchResult, median, rounded, thisMachine } from './result.js';

const CAP = 800;
const SIZE = 400_000;
/** Unmeasured runs, so that neither side is measured while it is being compiled. */
const WARM_UP = 3;

/**
 * Time to cut a tool result of 400,000 characters to 800 tokens by the rule of its type, over the time to count the
 * same text once, which whoever wants to know whether it fits must do. Below 1 where the rule reads less than all.
 */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const repetitions = options.quick === true ? 3 : 9;
  const counter = tokenCounter();
  const byType: Record<string, { cutMs: number; countMs: number; ratio: number; tokens: number }> = {};
  const all = { cut: [] as number[], count: [] as number[] };
  for (const [type, samples] of Object.entries(samplesByType)) {
    for (const [name, text] of Object.entries(samples.natural)) {
      const long = text
        .repeat(Math.ceil(SIZE / text.length))
        .slice(0, SIZE)
        .toWellFormed();
      const times = { cut: [] as number[], count: [] as number[] };
      let result: Rendition | null = null;
      for (let at = -WARM_UP; at < repetitions; at += 1) {
        const countMs = timeOf(() => counter.count(long));
        const cutMs = timeOf(() => {
          result = cut(
            { text: long, type: type as ContentType },
            { maxTokens: CAP, counter, handle: 'a1b2c3' },
          );
        });
        if (at < 0) continue;
        times.cut.push(cutMs);
        times.count.push(countMs);
      }
      const [cutMs, countMs] = [median(times.cut), median(times.count)];
      all.cut.push(cutMs);
      all.count.push(countMs);
      byType[`${type}: ${name}`] = {
        cutMs: rounded(cutMs),
        countMs: rounded(countMs),
        ratio: rounded(cutMs / countMs),
        tokens: (result as Rendition | null)?.tokens ?? 0,
      };
    }
  }
  const [value, floor] = [median(all.cut), median(all.count)];
  return {
    name: 'cut',
    floor: rounded(floor),
    value: rounded(value),
    ratio: rounded(value / floor),
    unit: 'ms',
    n: repetitions,
    machine: thisMachine(),
    details: {
      floorIs: 'counting the same text once with the same counter, in turn with the cuts',
      cap: CAP,
      characters: SIZE,
      byType,
    },
  };
}

function timeOf(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

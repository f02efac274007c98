import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatEvent } from '@palimpsest/events';
import { FloorError, parseStrategy, type Strategy } from '@palimpsest/strategy';
import { type Corpus, joined, recordedSessions } from './quality/corpora.js';
import { generated } from './quality/generated.js';
import { commonStart, measureEnd, said, Tally, textOf } from './quality/measures.js';
import { NEEDLE_VARIANTS, planted } from './quality/needles.js';
import { counter, Timeline } from './quality/timeline.js';
import { type BenchOptions, type BenchResult, rounded, thisMachine } from './result.js';

const BUDGETS = [2000, 4000, 8000, 32_000];
const LONG = 40_000;

/** Quality of contexts without a model, by preset, corpus and budget. `value` is needle retention at 4:1, `floor` 0.95. */
export async function run(options: BenchOptions = {}): Promise<BenchResult> {
  const recorded = await recordedSessions();
  const long = recorded.map((corpus) =>
    joined(corpus, LONG, options.quick ? 1 : 3, (event) => counter.count(said(event))),
  );
  const made = (['clean', 'dirty'] as const).map((kind) => generated(options.quick ? 8 : 150, kind));
  const details: Record<string, unknown> = {};
  for (const [name, strategy] of options.quick ? presets().slice(0, 1) : presets()) {
    for (const corpus of [...recorded, ...long, ...made]) {
      const few = options.quick ? { ...corpus, histories: corpus.histories.slice(0, 4) } : corpus;
      for (const budget of BUDGETS)
        details[`${name} / ${corpus.name} / ${budget}`] = await ends(few, strategy, budget);
      details[`${name} / ${corpus.name} / prefix at 8000`] = await prefixes(few, strategy, 8000);
    }
  }
  const [, strategy] = presets()[0] as [string, Strategy];
  let value = Number.NaN;
  for (const [ratio, budget] of [
    [4, LONG / 4],
    [8, LONG / 8],
  ] as const) {
    const found = await needles(long, strategy, budget, options.quick === true);
    details[`needles ${ratio}:1`] = found;
    if (ratio === 4) value = found.retention;
  }
  return {
    name: 'quality',
    floor: 0.95,
    value,
    ratio: rounded(value / 0.95),
    unit: 'share of planted facts kept at 4:1',
    n: NEEDLE_VARIANTS,
    machine: thisMachine(),
    details,
  };
}

/** All that are shipped, `default` first. */
function presets(): [name: string, strategy: Strategy][] {
  const root = dirname(fileURLToPath(import.meta.url)).replace(/[\\/]bench[\\/]?.*$/, '');
  const folder = join(root, 'strategies');
  const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));
  return names
    .toSorted((a, b) => Number(b === 'default') - Number(a === 'default') || (a < b ? -1 : 1))
    .map((name) => {
      const file = join(folder, `${name}.yaml`);
      return [name, parseStrategy(readFileSync(file, 'utf8'), file)];
    });
}

async function ends(corpus: Corpus, strategy: Strategy, budget: number): Promise<object> {
  const tally = new Tally();
  let tokens = 0;
  let full = 0;
  for (const events of corpus.histories) {
    const timeline = new Timeline(strategy);
    for (const event of events) await timeline.add(event);
    try {
      const context = timeline.context(budget);
      tokens += context.tokens.total;
      full += timeline.fullTokens;
      measureEnd(tally, events, context, budget);
    } catch (error) {
      if (!(error instanceof FloorError)) throw error;
      tally.crashes += 1;
    }
  }
  return {
    contexts: tally.contexts,
    invalid: tally.invalid,
    over: tally.over,
    ill_formed: tally.illFormed,
    floor_errors: tally.crashes,
    spoken_ids: tally.share('spoken_ids'),
    last_result_ids: tally.share('last_result_ids'),
    first_message: tally.share('first_message'),
    of_full: rounded(tokens / full),
  };
}

/** Contexts before each call of the model: how much of each is the start of the one before. */
async function prefixes(corpus: Corpus, strategy: Strategy, budget: number): Promise<object> {
  const tally = new Tally();
  for (const events of corpus.histories) {
    const timeline = new Timeline(strategy);
    let before = '';
    let all = '';
    for (const [index, event] of events.entries()) {
      await timeline.add(event);
      if (!callsModel(events[index + 1])) continue;
      const now = JSON.stringify(timeline.context(budget).messages).slice(0, -1);
      if (before !== '') {
        const common = commonStart(before, now);
        tally.add('of_context', common, now.length);
        tally.add('of_before', common, before.length);
        const whole = JSON.stringify(events.slice(0, index + 1).map(said));
        tally.add('ceiling', all.length, whole.length);
        all = whole;
      } else all = JSON.stringify(events.slice(0, index + 1).map(said));
      before = now;
    }
  }
  return {
    of_context: tally.share('of_context'),
    of_before: tally.share('of_before'),
    whole_history: tally.share('ceiling'),
  };
}

function callsModel(next: ChatEvent | undefined): boolean {
  return next?.type === 'tool_call' || (next?.type === 'message' && next.role === 'assistant');
}

async function needles(long: readonly Corpus[], strategy: Strategy, budget: number, quick: boolean) {
  const tally = new Tally();
  for (const corpus of long) {
    for (const history of quick ? corpus.histories.slice(0, 1) : corpus.histories.slice(0, 2)) {
      for (let variant = 0; variant < NEEDLE_VARIANTS; variant += quick ? 3 : 1) {
        const { events, needles: hidden } = planted(history, variant);
        const timeline = new Timeline(strategy);
        for (const event of events) await timeline.add(event);
        const text = textOf(timeline.context(budget).messages);
        for (const needle of hidden) {
          const found = text.includes(needle.value) ? 1 : 0;
          for (const group of [
            'all',
            needle.role,
            `kind ${needle.kind}`,
            `depth ${needle.depth}`,
            corpus.name,
          ])
            tally.add(group, found, 1);
        }
      }
    }
  }
  const by: Record<string, number | null> = {};
  for (const group of tally.shares.keys()) if (group !== 'all') by[group] = tally.share(group);
  return { retention: tally.share('all') ?? Number.NaN, by };
}

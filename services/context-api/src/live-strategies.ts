import { type Strategy, strategyFromCanonical } from '@palimpsest/strategy';
import { type Generation, listGenerations, liveGeneration } from '@palimpsest/views';
import type pg from 'pg';

/** A generation of views and the strategy that it is folded and read by. */
export interface GenerationOfViews {
  generation: number;
  /** `name@version`. */
  label: string;
  strategy: Strategy;
}

/** Which views answers come from; follows a promote without a restart. */
export interface LiveStrategies {
  /** As last seen, which may have changed since: who reads by it compares with what the store says is live. */
  seen(): Promise<GenerationOfViews>;
  /** As it is now. */
  current(): Promise<GenerationOfViews>;
  /** The newest generation of a strategy (`name@version`) whose views are there; null where there is none. */
  labelled(label: string): Promise<GenerationOfViews | null>;
}

export function createLiveStrategies(pool: pg.Pool): LiveStrategies {
  // A generation never changes its strategy.
  const strategies = new Map<number, Strategy>();
  let last: GenerationOfViews | null = null;
  const of = ({ generation, strategy }: Generation): GenerationOfViews => {
    const known = strategies.get(generation) ?? strategyFromCanonical(strategy);
    strategies.set(generation, known);
    return { generation, label: known.label, strategy: known };
  };
  const current = async (): Promise<GenerationOfViews> => {
    const live = await liveGeneration(pool);
    if (live === null) throw new Error('No generation is live: promote one ("palimpsest generations").');
    last = of(live);
    return last;
  };
  return {
    current,
    seen: async () => last ?? current(),
    async labelled(label) {
      const found = (await listGenerations(pool)).filter(
        (one) =>
          one.status !== 'retired' &&
          one.scope === null &&
          `${one.strategyName}@${one.strategyVersion}` === label,
      );
      const newest = found.find(({ status }) => status === 'live') ?? found.at(-1);
      return newest === undefined ? null : of(newest);
    },
  };
}

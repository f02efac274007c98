import { readFileSync } from 'node:fs';
import type { ChatEvent } from '@palimpsest/events';
import { parseStrategy } from '@palimpsest/strategy';
import { describe, expect, it } from 'vitest';
import { enrichmentAgent } from '../harness/enrichment-agent.js';
import { extractiveLeaves } from '../harness/extractive-leaves.js';
import { contextOf, type Folded, foldingOf } from '../harness/fold-in-memory.js';

/** Of the whole call, rules and schemas of 6,000 tokens included. */
const BUDGETS = { default: 8600, 'budgeted-slots': 9500 };

describe('the published case of an enrichment agent: 35 steps, 6,000 tokens of rules and schemas', () => {
  it.each(['default', 'budgeted-slots'] as const)(
    'costs an eighth of the naive loop, with all that is needed later in the context or one artifact away (%s)',
    async (preset) => {
      const { naive, ours, needed, missing } = await costOf(preset, { phases: false });
      expect(naive).toBeGreaterThan(2_500_000);
      expect(needed).toBeGreaterThan(30);
      expect(missing).toEqual([]);
      expect(ours).toBeLessThanOrEqual(310_000);
    },
  );

  it('costs a tenth where phases prune the tools (budgeted-slots)', async () => {
    const { ours, missing } = await costOf('budgeted-slots', { phases: true });
    expect(missing).toEqual([]);
    expect(ours).toBeLessThanOrEqual(250_000);
  });
});

/** Input tokens of the whole task with and without us, and what a step needed and could not find. */
async function costOf(preset: keyof typeof BUDGETS, { phases }: { phases: boolean }) {
  const file = new URL(`../../strategies/${preset}.yaml`, import.meta.url);
  const strategy = parseStrategy(readFileSync(file, 'utf8'), preset);
  const folding = foldingOf(strategy);
  const summaries = extractiveLeaves(strategy);
  let offset = 0n;
  const add = async (event: ChatEvent): Promise<void> => {
    folding.add(event);
    await summaries.add(event, offset, folding.folded().entries);
    offset += 1n;
  };
  const { opening, steps } = enrichmentAgent();
  for (const event of opening) await add(event);
  const cost = { naive: 0, ours: 0, needed: 0, missing: [] as string[] };
  for (const [index, step] of steps.entries()) {
    const folded = folding.folded();
    const context = contextOf(folded, strategy, BUDGETS[preset], { leaves: summaries.leaves });
    cost.naive += folded.state.totals.original_tokens + schemas(folded);
    cost.ours += context.tokens.total;
    const text = JSON.stringify(context.messages);
    for (const need of step.needs) {
      cost.needed += 1;
      const isAway = [...folded.originals].some(
        ([id, content]) => text.includes(id) && content.includes(need),
      );
      if (!text.includes(need) && !isAway) cost.missing.push(`step ${index}: ${need}`);
    }
    for (const event of step.events) if (phases || event.type !== 'phase') await add(event);
  }
  return cost;
}

function schemas({ tools }: Folded): number {
  return (tools?.tools ?? []).reduce((sum, tool) => sum + tool.tokens, 0);
}

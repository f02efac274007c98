import Table from 'cli-table3';
import { type Comparison, meansOf } from './compare-generations.js';

/** Means of both sides with their difference, then the conversations that change most, for a terminal. */
export function comparisonTable({ a, b, budget, conversations, unfit }: Comparison): string {
  const [first, second] = [meansOf(conversations, 'a'), meansOf(conversations, 'b')];
  const table = new Table({
    head: ['mean of a context', `${a.generation}: ${a.strategy}`, `${b.generation}: ${b.strategy}`, 'change'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [] },
  });
  const tokens = (name: string, before: number, after: number): void => {
    table.push([name, whole(before), whole(after), change(before, after)]);
  };
  tokens('tokens', first.tokens, second.tokens);
  for (const slot of new Set([...Object.keys(first.slots), ...Object.keys(second.slots)])) {
    const [before, after] = [first.slots[slot] ?? 0, second.slots[slot] ?? 0];
    if (before + after > 0) tokens(`  ${slot}`, before, after);
  }
  tokens('stable prefix, tokens', first.stablePrefixTokens, second.stablePrefixTokens);
  tokens('cost, input tokens', first.cost, second.cost);
  table.push([
    'identifiers kept',
    percent(first.identifiers),
    percent(second.identifiers),
    `${((second.identifiers - first.identifiers) * 100).toFixed(1)} points`,
  ]);
  tokens('left out, entries', first.leftOut, second.leftOut);
  const most = conversations
    .toSorted((x, y) => Math.abs(y.b.cost - y.a.cost) - Math.abs(x.b.cost - x.a.cost))
    .slice(0, MOST);
  const changed = new Table({
    head: ['conversation', 'tokens', '', 'identifiers kept', ''],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [] },
  });
  for (const one of most) {
    changed.push([
      `${one.tenant}/${one.conversation}`,
      whole(one.a.tokens),
      whole(one.b.tokens),
      percent(one.a.identifiers),
      percent(one.b.identifiers),
    ]);
  }
  const notes =
    unfit === 0 ? '' : `\n${unfit} conversations have no context within the budget under one of them.`;
  return [
    `${conversations.length} conversations at ${budget.toLocaleString('en')} tokens`,
    table.toString(),
    'Those that change most:',
    changed.toString() + notes,
  ].join('\n');
}

const MOST = 10;

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function change(before: number, after: number): string {
  if (before === 0) return after === 0 ? '' : 'new';
  const share = (after - before) / before;
  return `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)}%`;
}

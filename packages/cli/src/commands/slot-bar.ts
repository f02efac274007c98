import Table from 'cli-table3';

const WIDTH = 32;

/** Slots of a context as a table with bars, as shares of the budget. */
export function slotTable(bySlot: Readonly<Record<string, number>>, total: number, budget: number): string {
  const table = new Table({
    head: ['slot', 'tokens', `of ${budget.toLocaleString('en')}`],
    colAligns: ['left', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const [slot, tokens] of Object.entries(bySlot)) {
    if (tokens > 0) table.push([slot, tokens.toLocaleString('en'), bar(tokens, budget)]);
  }
  table.push(['total', total.toLocaleString('en'), bar(total, budget)]);
  return table.toString();
}

function bar(tokens: number, budget: number): string {
  const filled = Math.min(WIDTH, Math.max(tokens > 0 ? 1 : 0, Math.round((tokens / budget) * WIDTH)));
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.round((tokens / budget) * 100)}%`;
}

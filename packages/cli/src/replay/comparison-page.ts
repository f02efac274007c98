import { type ComparedConversation, type Comparison, meansOf, type Measured } from './compare-generations.js';

const COLORS = [
  '#4269d0',
  '#efb118',
  '#ff725c',
  '#6cc5b0',
  '#3ca951',
  '#ff8ab7',
  '#a463f2',
  '#97bbf5',
  '#9c6b4e',
];

/** The comparison as one HTML page that needs nothing else: means, slots, and each conversation as a point. */
export function comparisonPage(comparison: Comparison): string {
  const { a, b, budget, conversations, unfit } = comparison;
  const means = { a: meansOf(conversations, 'a'), b: meansOf(conversations, 'b') };
  const title = `Generation ${a.generation} (${a.strategy}) against ${b.generation} (${b.strategy})`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left}
.better{color:#1a7f37}.worse{color:#b35900}figure{margin:1rem 0}figcaption{color:#555}svg{max-width:100%;height:auto}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1rem}
</style></head><body>
<h1>${escaped(title)}</h1>
<p>${conversations.length} conversations, contexts of at most ${number(budget)} tokens each, no model asked.${
    unfit === 0 ? '' : ` ${unfit} more have no context within the budget under one of them.`
  }</p>
${meansTable(comparison, means)}
<h2>What the tokens are spent on</h2>
${slotBars(comparison, means)}
<h2>Each conversation</h2>
<div class="plots">
${scatter('Tokens of a context', conversations, (one) => one.tokens, [a.strategy, b.strategy])}
${scatter('Cost of a call, input tokens (those in the stable prefix at a tenth)', conversations, (one) => one.cost, [a.strategy, b.strategy])}
${scatter('Identifiers kept, %', conversations, (one) => one.identifiers * 100, [a.strategy, b.strategy])}
</div>
<h2>Those that change most</h2>
${conversationTable(comparison)}
</body></html>
`;
}

interface Means {
  a: Measured;
  b: Measured;
}

function meansTable({ a, b }: Comparison, means: Means): string {
  const row = (
    name: string,
    of: (measured: Measured) => number,
    isBetter: 'more' | 'less',
    unit = '',
  ): string => {
    const [before, after] = [of(means.a), of(means.b)];
    const better = isBetter === 'more' ? after >= before : after <= before;
    const difference = `${after > before ? '+' : ''}${number(after - before)}${unit}`;
    const mark = Math.abs(after - before) < 1e-9 ? '' : ` class="${better ? 'better' : 'worse'}"`;
    return `<tr><td>${name}</td><td>${number(before)}${unit}</td><td>${number(after)}${unit}</td><td${mark}>${difference}</td></tr>`;
  };
  return `<table><tr><th>mean of a context</th><th>${escaped(a.strategy)}</th><th>${escaped(b.strategy)}</th><th>change</th></tr>
${row('tokens', (one) => one.tokens, 'less')}
${row('cost of a call, input tokens', (one) => one.cost, 'less')}
${row('stable prefix, tokens', (one) => one.stablePrefixTokens, 'more')}
${row('identifiers kept', (one) => one.identifiers * 100, 'more', '%')}
${row('entries left out', (one) => one.leftOut, 'less')}
</table>`;
}

function slotBars({ a, b }: Comparison, means: Means): string {
  const slots = [...new Set([...Object.keys(means.a.slots), ...Object.keys(means.b.slots)])].filter(
    (slot) => (means.a.slots[slot] ?? 0) + (means.b.slots[slot] ?? 0) > 0,
  );
  const longest = Math.max(means.a.tokens, means.b.tokens, 1);
  const bar = (measured: Measured, label: string, y: number): string => {
    let x = 0;
    const parts = slots.map((slot, index) => {
      const width = ((measured.slots[slot] ?? 0) / longest) * 880;
      const part = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="28" fill="${COLORS[index % COLORS.length]}"><title>${escaped(slot)}: ${number(measured.slots[slot] ?? 0)} tokens</title></rect>`;
      x += width;
      return part;
    });
    return `<text x="0" y="${y - 6}" font-size="13">${escaped(label)}: ${number(measured.tokens)} tokens</text>${parts.join('')}`;
  };
  const legend = slots
    .map(
      (slot, index) =>
        `<span style="white-space:nowrap"><svg width="12" height="12"><rect width="12" height="12" fill="${COLORS[index % COLORS.length]}"/></svg> ${escaped(slot)}</span>`,
    )
    .join(' &nbsp; ');
  return `<figure><svg viewBox="0 0 880 120" role="img" aria-label="Tokens by slot">${bar(means.a, a.strategy, 20)}${bar(means.b, b.strategy, 80)}</svg><figcaption>${legend}</figcaption></figure>`;
}

const SIZE = 320;
const MARGIN = 46;

function scatter(
  name: string,
  conversations: readonly ComparedConversation[],
  of: (measured: Measured) => number,
  [x, y]: [string, string],
): string {
  const largest = Math.max(1, ...conversations.flatMap((one) => [of(one.a), of(one.b)]));
  const at = (value: number): number => (value / largest) * (SIZE - MARGIN - 10);
  const points = conversations.map(
    (one) =>
      `<circle cx="${(MARGIN + at(of(one.a))).toFixed(1)}" cy="${(SIZE - MARGIN - at(of(one.b))).toFixed(1)}" r="4" fill="#4269d0" fill-opacity=".5"><title>${escaped(`${one.tenant}/${one.conversation}`)}: ${number(of(one.a))} → ${number(of(one.b))}</title></circle>`,
  );
  const end = SIZE - MARGIN - at(largest);
  return `<figure><svg viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="${escaped(name)}">
<path d="M${MARGIN} ${end}V${SIZE - MARGIN}H${MARGIN + at(largest)}" fill="none" stroke="#999"/>
<path d="M${MARGIN} ${SIZE - MARGIN}L${MARGIN + at(largest)} ${end}" stroke="#ccc" stroke-dasharray="4"/>
<text x="${SIZE / 2}" y="${SIZE - 8}" font-size="12" text-anchor="middle">${escaped(x)}</text>
<text x="12" y="${SIZE / 2}" font-size="12" text-anchor="middle" transform="rotate(-90 12 ${SIZE / 2})">${escaped(y)}</text>
<text x="${MARGIN + at(largest)}" y="${SIZE - MARGIN + 16}" font-size="11" text-anchor="end">${number(largest)}</text>
<text x="${MARGIN - 4}" y="${SIZE - MARGIN + 16}" font-size="11" text-anchor="end">0</text>
${points.join('')}</svg><figcaption>${escaped(name)}: a point below the dashed line has less on the right-hand strategy.</figcaption></figure>`;
}

function conversationTable({ conversations }: Comparison): string {
  const rows = conversations
    .toSorted((x, y) => Math.abs(y.b.cost - y.a.cost) - Math.abs(x.b.cost - x.a.cost))
    .slice(0, 50)
    .map(
      (one) =>
        `<tr><td>${escaped(`${one.tenant}/${one.conversation}`)}</td><td>${number(one.a.tokens)} → ${number(one.b.tokens)}</td><td>${number(one.a.cost)} → ${number(one.b.cost)}</td><td>${number(one.a.identifiers * 100)}% → ${number(one.b.identifiers * 100)}%</td><td>${one.a.leftOut} → ${one.b.leftOut}</td></tr>`,
    );
  return `<table><tr><th>conversation</th><th>tokens</th><th>cost</th><th>identifiers kept</th><th>left out</th></tr>${rows.join('')}</table>`;
}

function number(value: number): string {
  return (Math.abs(value) < 100 ? Number(value.toFixed(1)) : Math.round(value)).toLocaleString('en');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

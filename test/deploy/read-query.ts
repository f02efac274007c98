const WORDS = new Set(['by', 'without', 'on', 'ignoring', 'or', 'and', 'unless', 'offset', 'bool']);
/** Of PromQL; a query with another one is refused, so that a metric's name is never taken for a function's. */
const FUNCTIONS = new Set(['sum', 'min', 'max', 'rate', 'increase', 'absent', 'histogram_quantile']);

/**
 * What a PromQL query asks for: names of samples, and labels in matchers and groupings. Knows as much of the language
 * as our queries use; throws for a function it does not know.
 */
export function readQuery(expr: string): { samples: string[]; labels: string[] } {
  const labels = new Set<string>();
  const note = (text: string): string => {
    for (const [label] of text.matchAll(/[a-z_]\w*/gi)) labels.add(label);
    return ' ';
  };
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\{([^}]*)\}/g, (_, matchers: string) => note(matchers))
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, names: string) => note(names))
    .replaceAll(/\[[^\]]*\]|\boffset\s+\w+/g, ' ');
  const samples = new Set<string>();
  for (const { 0: word, index } of bare.matchAll(/(?<![\w.])[a-z_:][\w:]*/gi)) {
    const isCalled = /^\s*\(/.test(bare.slice(index + word.length));
    if (WORDS.has(word)) continue;
    if (FUNCTIONS.has(word)) continue;
    if (isCalled) throw new Error(`${word}() is no function that readQuery knows: ${expr}`);
    samples.add(word);
  }
  return { samples: [...samples], labels: [...labels] };
}

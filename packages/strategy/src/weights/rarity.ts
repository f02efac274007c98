/**
 * How much each wanted word tells texts apart: the logarithm of one in how many has it (inverse document frequency). Words
 * of grammar, which all texts have, weigh next to nothing without a list of them in any language.
 */
export function rarityOf(
  wanted: ReadonlySet<string>,
  texts: readonly ReadonlySet<string>[],
): ReadonlyMap<string, number> {
  const rarity = new Map<string, number>();
  for (const stem of wanted) {
    const having = texts.reduce((count, stems) => count + Number(stems.has(stem)), 0);
    rarity.set(stem, Math.log(1 + texts.length / (having + 0.5)));
  }
  return rarity;
}

/** Share of the wanted words that a text has, from 0 to 1, each by its rarity. */
export function likeness(rarity: ReadonlyMap<string, number>, stems: ReadonlySet<string>): number {
  let common = 0;
  let all = 0;
  for (const [stem, worth] of rarity) {
    all += worth;
    if (stems.has(stem)) common += worth;
  }
  return all === 0 ? 0 : common / all;
}

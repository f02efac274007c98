/** Of reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): k = 60. */
const K = 60;

/**
 * Lists of ids, best first, as one: an id's score is the sum of `1 / (60 + rank)` over the lists that have it. Equal
 * scores keep the order of the lists given.
 */
export function fuseRanks(lists: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [index, id] of [...new Set(list)].entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (K + index + 1));
    }
  }
  return [...scores].toSorted((a, b) => b[1] - a[1]).map(([id]) => id);
}

import type { TokenCounter } from '@palimpsest/tokens';

/** A summary of one block: covers the events of [from, to] that were known at `seen`. */
export interface SummaryLeaf {
  from: bigint;
  to: bigint;
  /** Log offset; events of the range that arrived later are not covered. */
  seen: bigint;
  text: string;
  /** Identifiers of the source that the text lost. */
  carried: string[];
}

export interface Fact {
  type: string;
  actor: string;
  subject: string;
  payload: string;
  /** ms since 1970; null = open. */
  validUntil: number | null;
  /** Order of the message it was read from. */
  sourceOrder: bigint;
}

/** Facts as lines, in order of their source, newest kept when the cap is short. Empty string where there are none. */
export function writeFacts(facts: readonly Fact[], maxTokens: number, counter: TokenCounter): string {
  const lines = facts.map((fact) => {
    const until =
      fact.validUntil === null ? '' : ` (until ${new Date(fact.validUntil).toISOString().slice(0, 10)})`;
    return `- ${fact.type}, ${fact.actor}: ${fact.subject}: ${fact.payload}${until}`;
  });
  return fromTheEnd('Known facts:', lines, maxTokens, counter);
}

/** Leaves in order, the oldest dropped when the cap is short; identifiers that the texts lost in a last line each. */
export function writeSummary(
  leaves: readonly SummaryLeaf[],
  maxTokens: number,
  counter: TokenCounter,
): string {
  const blocks = leaves.map((leaf) =>
    leaf.carried.length === 0 ? leaf.text : `${leaf.text}\n(also named: ${leaf.carried.join(', ')})`,
  );
  return fromTheEnd('Summary of earlier messages:', blocks, maxTokens, counter);
}

function fromTheEnd(
  heading: string,
  blocks: readonly string[],
  maxTokens: number,
  counter: TokenCounter,
): string {
  if (blocks.length === 0) return '';
  let left = maxTokens - counter.count(`${heading}\n`) - 1;
  const chosen: string[] = [];
  for (const block of blocks.toReversed()) {
    const tokens = counter.count(`${block}\n`) + 1;
    if (tokens > left) {
      const head = chosen.length === 0 && left > 0 ? counter.head(block, left - 1) : '';
      if (head !== '') chosen.unshift(head);
      break;
    }
    chosen.unshift(block);
    left -= tokens;
  }
  return chosen.length === 0 ? '' : `${heading}\n${chosen.join('\n')}`;
}

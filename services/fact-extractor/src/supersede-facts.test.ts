import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FactRow, supersedeFacts } from './supersede-facts.js';

const fact = (over: Partial<FactRow>): FactRow => ({
  fact_id: 'f1',
  client_id: null,
  fact_type: 'preference',
  actor: 'client',
  subject: 'sushi',
  payload: 'I love sushi',
  valid_from: 1,
  valid_until: null,
  source_id: 'e1',
  source_order: 1n,
  derivation_id: 'd1',
  superseded_by: null,
  tokens: 3,
  ...over,
});
const love = fact({});
const hate = fact({
  fact_id: 'f9',
  payload: 'I cannot stand sushi',
  valid_from: 9,
  source_id: 'e9',
  source_order: 9n,
});

/** Merges batch after batch as the projection does, and returns all rows by id. */
function merge(batches: FactRow[][], known: FactRow[] = []): FactRow[] {
  const rows = new Map(known.map((row) => [row.fact_id, row]));
  for (const batch of batches) {
    for (const row of supersedeFacts([...rows.values()], batch)) rows.set(row.fact_id, row);
  }
  return [...rows.values()].toSorted((a, b) => (a.fact_id < b.fact_id ? -1 : 1));
}

describe('supersession', () => {
  it('makes the later statement current and keeps the former with its source (case 12)', () => {
    expect(merge([[love], [hate]])).toEqual([{ ...love, superseded_by: 'f9', valid_until: 9 }, hate]);
  });

  it('does not bring the old fact back when it is delivered again, alone or late', () => {
    const once = merge([[love], [hate]]);
    expect(merge([[love]], once)).toEqual(once);
    expect(merge([[hate], [love]])).toEqual(once);
  });

  it('leaves another subject, type and actor alone', () => {
    const others = [
      fact({ fact_id: 'a', subject: 'ramen', source_order: 20n }),
      fact({ fact_id: 'b', fact_type: 'rejection', source_order: 21n }),
      fact({ fact_id: 'c', actor: 'agent', source_order: 22n }),
    ];
    expect(merge([[love], others]).find((row) => row.fact_id === 'f1')).toEqual(love);
  });

  it('knows a subject in other letters: case, form and spaces', () => {
    const again = fact({ fact_id: 'f2', subject: ' SUSHI', source_order: 2n, valid_from: 2 });
    expect(merge([[love], [again]]).find((row) => row.fact_id === 'f1')?.superseded_by).toBe('f2');
  });

  it('ends in the same state for every order, grouping and repetition', () => {
    const row = fc
      .record({
        fact_id: fc.constantFrom('f1', 'f2', 'f3', 'f4', 'f5', 'f6'),
        derivation_id: fc.constantFrom('d1', 'd2', 'd3'),
      })
      .map(({ fact_id, derivation_id }) => {
        // A fact id is a function of its content, so content follows from the id.
        const n = Number(fact_id[1]);
        return fact({
          fact_id,
          derivation_id,
          subject: n % 2 === 0 ? 'sushi' : 'Ramen',
          source_order: BigInt(n % 3),
          valid_from: [5, 3, 9, 1, 7, 4][n - 1] ?? null,
          valid_until: n === 4 ? 6 : null,
        });
      });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (rows, random) => {
        const shuffled = rows
          .map((one) => ({ one, at: random.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ one }) => one);
        const oneByOne = merge(shuffled.map((one) => [one]));
        expect(merge([rows])).toEqual(oneByOne);
        expect(merge([shuffled, rows], oneByOne)).toEqual(oneByOne);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves exactly one current fact per subject', () => {
    const rows = merge([[love, hate, fact({ fact_id: 'f5', source_order: 5n, valid_from: 5 })]]);
    expect(rows.filter((row) => row.superseded_by === null)).toHaveLength(1);
  });
});

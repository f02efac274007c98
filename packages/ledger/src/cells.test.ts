import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentCell } from './cells.js';

describe('a moment as a cell', () => {
  it('is the text of its date in UTC, whatever moment came before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2262, 0, 1) - 1 }), (at) => {
        expect(momentCell(at)).toBe(new Date(at).toISOString().replace('T', ' ').replace('Z', ''));
      }),
    );
  });
});

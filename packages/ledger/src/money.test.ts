import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pricePerToken, toDecimal } from './money.js';

describe('money', () => {
  it('reads a price per million tokens as whole picodollars per token', () => {
    expect(pricePerToken('3.75')).toBe(3_750_000n);
    expect(pricePerToken('0.000001')).toBe(1n);
    expect(pricePerToken('0')).toBe(0n);
    expect(pricePerToken('2.500000000000')).toBe(2_500_000n);
  });

  it('refuses a price that is no plain decimal, or too fine to charge exactly', () => {
    for (const bad of ['', '-1', '1e-7', 'NaN', '0.0000001', ' 1', '1.', '.5', '1,5']) {
      expect(() => pricePerToken(bad), bad).toThrow('is no price');
    }
  });

  it('writes 12 places whatever the amount', () => {
    expect(toDecimal(3_360_000_000n)).toBe('0.003360000000');
    expect(toDecimal(0n)).toBe('0.000000000000');
    expect(toDecimal(-1n)).toBe('-0.000000000001');
  });

  it('loses nothing on the way to a decimal', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), (amount) => {
        expect(BigInt(toDecimal(amount).replace('.', ''))).toBe(amount);
      }),
    );
  });
});

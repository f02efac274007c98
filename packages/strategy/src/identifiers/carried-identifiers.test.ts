import { tokenCounter } from '@palimpsest/tokens';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carriedIdentifiers, CARRIED_LIMIT, type NamingSource } from './carried-identifiers.js';
import { carriedText, carriedTokens } from './carried-text.js';

const counter = tokenCounter(null);
const message = (text: string): NamingSource => ({ kind: 'message', text });
const result = (text: string): NamingSource => ({ kind: 'tool_result', text });

describe('carried identifiers', () => {
  it('are those that the text lost, what people said before what tools returned', () => {
    const sources = [result('{"tracking":"TRK-998877"}'), message('My order is ORD-5512 of 2026-03-04.')];
    expect(carriedIdentifiers(sources, 'It was on 2026-03-04.')).toEqual(['ORD-5512', 'TRK-998877']);
  });

  it('begin with what stands alone, not with a list of many alike', () => {
    const list = Array.from({ length: 60 }, (_, n) => ({ item: 7_000_000_000 + n }));
    const text = JSON.stringify({ list, booking: 'QX7Z2P' });
    expect(carriedIdentifiers([result(text)], '')[0]).toBe('QX7Z2P');
  });

  it('name no fields of JSON', () => {
    expect(carriedIdentifiers([result('{"address1":"Sunset 7","zip":"85033"}')], '')).toEqual(['85033']);
  });

  it('are bounded', () => {
    const many = Array.from({ length: 5000 }, (_, n) => `ID-${n}`).join(' ');
    const carried = carriedIdentifiers([message(many)], '');
    expect(carried.length).toBeLessThanOrEqual(CARRIED_LIMIT);
  });
});

const lists = fc.array(
  fc.array(
    fc
      .tuple(fc.constantFrom('ORD-', '#', 'кв-', '/srv/', '$'), fc.nat({ max: 99_999 }))
      .map((parts) => parts.join('')),
    { maxLength: 30 },
  ),
  { maxLength: 8 },
);

describe('the line of names', () => {
  it('never exceeds its cap, names nothing twice and nothing that is shown', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 0, max: 400 }), fc.nat({ max: 99_999 }), (parts, cap, n) => {
        const text = carriedText(parts, `shown ORD-${n}`, cap, counter);
        if (text === '') return;
        expect(counter.count(text)).toBeLessThanOrEqual(cap);
        const names = text.slice('Also named earlier: '.length, -1).split(', ');
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(`shown ORD-${n}`).not.toContain(name);
      }),
    );
  });

  it('has all names where there is room for them', () => {
    fc.assert(
      fc.property(lists, (parts) => {
        const room = carriedTokens(parts, Number.POSITIVE_INFINITY, counter);
        const text = carriedText(parts, '', room, counter);
        for (const name of parts.flat()) expect(text).toContain(name);
      }),
    );
  });

  it('gives a name once that its part has twice', () => {
    const parts = [['/srv/99984', '/srv/99984']];
    const text = carriedText(parts, '', carriedTokens(parts, Number.POSITIVE_INFINITY, counter), counter);
    expect(text).toBe('Also named earlier: /srv/99984.');
  });

  it('hears the oldest part as well as the newest', () => {
    const parts = Array.from({ length: 10 }, (_, part) =>
      Array.from({ length: 50 }, (__, n) => `P${part}-${n}`),
    );
    const text = carriedText(parts, '', 200, counter);
    for (let part = 0; part < 10; part += 1) expect(text).toContain(`P${part}-0`);
  });
});

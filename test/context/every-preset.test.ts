import { readdirSync, readFileSync } from 'node:fs';
import type { ChatEvent } from '@palimpsest/events';
import {
  FloorError,
  formatAiSdk,
  formatAnthropic,
  formatText,
  parseStrategy,
  type Strategy,
} from '@palimpsest/strategy';
import { aiSdkViolations, anthropicViolations, openAiViolations } from '@palimpsest/strategy/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextOf, foldEvents, sentTokens, sentToolTokens } from '../harness/fold-in-memory.js';
import { histories } from '../harness/histories.js';
import { leavesOf } from '../harness/leaves-of.js';

const folder = new URL('../../strategies/', import.meta.url);
const presets = readdirSync(folder).map((file): [string, Strategy] => [
  file.replace('.yaml', ''),
  parseStrategy(readFileSync(new URL(file, folder), 'utf8'), file),
]);

describe.each(presets)('the preset %s', (_name, strategy) => {
  it('is valid for every provider, well-formed and within the budget, whatever the history', () => {
    fc.assert(
      fc.property(
        histories({ pins: true, control: true }),
        fc.constantFrom(2000, 4000, 8000, 32_000),
        (events, budget) => {
          const context = contextWithin(events, strategy, budget);
          if (context === null) return;
          const { messages, pieces, stablePieces, tokens } = context;
          expect(tokens.total).toBeLessThanOrEqual(budget);
          expect(sentTokens(messages) + tokens.slots.tools).toBeLessThanOrEqual(tokens.total);
          expect(sentToolTokens(context.tools)).toBe(tokens.slots.tools);
          expect(openAiViolations(messages)).toEqual([]);
          const anthropic = formatAnthropic(pieces, stablePieces);
          expect(anthropicViolations(anthropic)).toEqual([]);
          const aiSdk = formatAiSdk(pieces);
          expect(aiSdkViolations(aiSdk)).toEqual([]);
          for (const sent of [messages, anthropic, aiSdk, formatText(pieces)]) {
            expect(textsOf(sent).every((text) => text.isWellFormed())).toBe(true);
          }
        },
      ),
      { numRuns: 350 },
    );
  });

  it('keeps the first message of the user word for word where it fits', () => {
    fc.assert(
      fc.property(histories({ pins: false }), fc.constantFrom(2000, 4000, 8000), (events, budget) => {
        const context = contextWithin(events, strategy, budget);
        const first = events.find((event) => event.type === 'message' && event.role === 'user');
        if (context === null || first?.type !== 'message' || first.content.length > 1) return;
        const text = first.content[0]?.text ?? '';
        if (text.trim() === '' || text.length > budget || !text.isWellFormed() || text.includes('\0')) return;
        expect(textsOf(context.messages)).toContain(text);
      }),
      { numRuns: 100 },
    );
  });
});

/** Null where rules and pins alone are above the budget. */
function contextWithin(events: readonly ChatEvent[], strategy: Strategy, budget: number) {
  try {
    const leaves = strategy.settings.summary === null ? [] : leavesOf(events);
    return contextOf(foldEvents(events, strategy), strategy, budget, { leaves });
  } catch (error) {
    if (error instanceof FloorError) return null;
    throw error;
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

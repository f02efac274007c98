import { type Held, textOfParts } from '../entry.js';
import { identifiersOf } from '../identifiers/identifiers.js';
import type { Unit } from '../pair-calls.js';
import type { StrategySettings } from '../strategy.js';
import { likeness, rarityOf } from './rarity.js';
import { stemsOf } from './stems.js';

export type Weights = NonNullable<StrategySettings['weights']>;

export interface Weighed {
  unit: Unit;
  /** From 0 to 1. */
  weight: number;
}

export interface WeighInput {
  /** Sorted, all of them before the tail. */
  units: readonly Unit[];
  /** What the next call is about: the query, or the last message of the user before the tail. */
  about: string;
  corrected: ReadonlySet<string>;
  /** Units that say what is wanted: like decisions and what was corrected, age does not lower them. */
  goals: ReadonlySet<string>;
  weights: Weights;
}

/** Identifiers in a unit from which on it counts as dense, and later units that use them from which on as central. */
const DENSE = 5;
const CENTRAL = 3;
/** Text of a unit that is looked at. */
const READ_CHARS = 4000;

/**
 * How much each unit is worth keeping: `w = Σ share · part`, where the parts lie between 0 and 1 and the shares are the
 * strategy's, as shares of their sum. A correction adds its share on top. Nothing but the units, the text they are
 * compared with and the corrections counts: no clock, no model.
 */
export function weighUnits({ units, about, corrected, goals, weights }: WeighInput): Weighed[] {
  const facts = units.map((unit) => factsOf(unit));
  const usedLater = countLaterUses(facts.map(({ identifiers }) => identifiers));
  const wanted = rarityOf(
    stemsOf(about),
    facts.map(({ stems }) => stems),
  );
  const total = weights.recency + weights.similarity + weights.entities + weights.centrality;
  const all = units.reduce((sum, unit) => sum + unit.tokens, 0);
  let behind = all;
  return units.map((unit, index) => {
    const { identifiers, stems, decides, isUser } = facts[index] as UnitFacts;
    behind -= unit.tokens;
    const isCorrected = unit.entries.some(({ entry }) => corrected.has(entry.id));
    const stays = decides || isCorrected || unit.entries.some(({ entry }) => goals.has(entry.id));
    const recency = stays || all === 0 ? 1 : 1 - behind / all;
    const entities = Math.min(1, identifiers.length / DENSE);
    const centrality =
      (Math.min(1, (usedLater[index] as number) / CENTRAL) + (decides ? 0.7 : 0) + (isUser ? 0.3 : 0)) / 2;
    const sum =
      weights.recency * recency +
      weights.similarity * likeness(wanted, stems) +
      weights.entities * entities +
      weights.centrality * centrality;
    return {
      unit,
      weight: Math.min(1, (total === 0 ? 0 : sum / total) + (isCorrected ? weights.correction : 0)),
    };
  });
}

interface UnitFacts {
  identifiers: string[];
  stems: Set<string>;
  decides: boolean;
  isUser: boolean;
}

/** Words by which people decide, forbid and say what they want, in English, Ukrainian and Russian. */
const DECIDES =
  /\b(decid|agree|must|never|always|goal|deadline|require|confirm|promis|instead|don't|do not)|виріш|домов|потрібн|повинн|обіця|термін|ніколи|завжди|мета|решил|решен|договор|нужн|должн|обеща|срок|никогда|всегда|цель/iu;

/** Read once per entry, however often a context is assembled. */
const known = new WeakMap<Held, UnitFacts>();

function factsOf(unit: Unit): UnitFacts {
  const key = unit.entries[0] as Held;
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const text = unit.entries
    .map(({ entry }) => (entry.parts === undefined ? entry.text : textOfParts(entry.parts)))
    .join('\n')
    .slice(0, READ_CHARS);
  const isMessage = key.entry.kind === 'message';
  const facts = {
    identifiers: identifiersOf(text),
    stems: stemsOf(text),
    decides: isMessage && DECIDES.test(text),
    isUser: key.entry.role === 'user',
  };
  known.set(key, facts);
  return facts;
}

/** Per unit, how many later ones use an identifier that it was the first to name. */
function countLaterUses(identifiers: readonly string[][]): number[] {
  const firstOf = new Map<string, number>();
  const uses = identifiers.map(() => new Set<number>());
  for (const [index, names] of identifiers.entries()) {
    for (const name of names) {
      const first = firstOf.get(name);
      if (first === undefined) firstOf.set(name, index);
      else if (first !== index) (uses[first] as Set<number>).add(index);
    }
  }
  return uses.map(({ size }) => size);
}

import type { AssembleInput } from './assemble.js';
import { addTo, regionOf } from './edge.js';
import { compareHeld, type Entry, type Held, hold, textOfParts } from './entry.js';
import { countEntry, isBlank } from './fit-unit.js';
import { keptMessages } from './kept-messages.js';
import { isBeforeEdge, pairCalls, type Paired, type Unit } from './pair-calls.js';
import { recountEntry } from './recount.js';

/** Everything that may be shown, as units. */
export interface Gathered {
  /** Sorted by order. */
  units: Unit[];
  unpaired: Paired['unpaired'];
  /** Whether this is the whole conversation. */
  whole: boolean;
  /** No event lies before the strategy's window. */
  inWindow: boolean;
  /** Older entries could be used, if they were read. */
  mayGrow: boolean;
  /** The newest event is a result, and the rest of its step was not read. */
  newestSplit: boolean;
  /** Ids of the first messages and of the rules, which always stay. */
  first: ReadonlySet<string>;
  rules: ReadonlySet<string>;
  /** Ids of the newest long answers, where the strategy keeps any. */
  large: ReadonlySet<string>;
  isPinned(unit: Unit): boolean;
  /** Lies in the run of entries without gap up to the newest. */
  inRegion(unit: Unit): boolean;
  /** Tokens of the conversation before a unit of the region, as the view counts them: stays the same as it grows. */
  tokensBefore(unit: Unit): number;
  /** Units before the strategy's window, where it counts events. */
  outside: ReadonlySet<Unit>;
}

/** The entries of an input as units: those of the region, and before it what stays: first messages, rules, pins. */
export function gatherUnits(input: AssembleInput): Gathered {
  const { state, settings } = input;
  const region = regionOf(state, input.older);
  const positions = positionsOf(region.entries, state.totals.tokens);
  const ids = new Set(region.entries.map((held) => held.entry.id));
  const pins = [...state.pins.values()].filter((pin) => pin.pinned);
  const away = new Map<string, Held>();
  for (const held of state.kept) if (!ids.has(held.entry.id)) away.set(held.entry.id, held);
  const callsGone = new Map(region.edge.callsGone);
  const originals = new Map<string, Held>();
  for (const { held: pinned } of pins) {
    const [only, ...rest] = pinned;
    // A call alone waits for its result: it stands where it is.
    if (only === undefined || (rest.length === 0 && only.entry.kind !== 'message')) continue;
    const inside = rest.length === 0 && ids.has(only.entry.id);
    for (const one of pinned) (inside ? originals : away).set(one.entry.id, one);
    for (const { entry } of pinned.slice(pinned.length / 2)) {
      // Its call is pinned before the region, and so no longer what a result of the region waits for.
      const call = pinned.find(
        (one) => one.entry.kind === 'tool_call' && one.entry.call_id === entry.call_id,
      );
      if (call === undefined || ids.has(call.entry.id) || !ids.has(entry.id)) continue;
      addTo(callsGone, call.entry, -1);
    }
  }
  const inside = region.entries
    .filter((held) => !away.has(held.entry.id))
    .map((held) => originals.get(held.entry.id) ?? held);
  const outside = [...away.values()].toSorted(compareHeld);
  const counted = input.recounts === true ? (held: Held) => recountEntry(held, input.counter) : same;
  const near = pairCalls(inside.map(counted), { ...region.edge, callsGone });
  const far = pairCalls(outside.map(counted));
  const { first, rules, large } = keptMessages(
    [...outside, ...inside].filter((held) => held.entry.kind === 'message').toSorted(compareHeld),
    settings.window,
  );
  const unpaired = [...near.unpaired, ...far.unpaired];
  const units = [...near.units, ...far.units]
    .filter((unit) => !isEmpty(unit, unpaired))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const inWindow = region.entries.slice(-(settings.window.messages ?? region.entries.length));
  const inRegion = (unit: Unit): boolean => positions.has((unit.entries[0] as Held).entry.id);
  return {
    units,
    unpaired,
    whole: region.whole,
    inWindow: region.whole && inWindow.length === region.entries.length,
    mayGrow: !region.whole && inWindow.length < (settings.window.messages ?? Number.POSITIVE_INFINITY),
    newestSplit:
      !region.whole &&
      near.unpaired.some(
        ({ held, why }) => held.entry.id === region.entries.at(-1)?.entry.id && isBeforeEdge(why),
      ),
    first: new Set(first.map((held) => held.entry.id)),
    rules: new Set(rules.map((held) => held.entry.id)),
    large: new Set(large.map((held) => held.entry.id)),
    isPinned: (unit) => unit.entries.some((held) => state.pins.get(held.entry.id)?.pinned === true),
    inRegion: (unit) => inRegion(unit) && !unit.entries.some((held) => away.has(held.entry.id)),
    tokensBefore: (unit) => positions.get((unit.entries[0] as Held).entry.id) ?? 0,
    outside: beyond(units, inWindow[0]),
  };
}

/** All units with originals in place of renditions, or null where one is not at hand. */
export function restoreUnits(units: readonly Unit[], input: AssembleInput): Unit[] | null {
  const restored: Unit[] = [];
  for (const unit of units) {
    const entries: Held[] = [];
    for (const held of unit.entries) {
      if (held.entry.artifact === undefined) {
        entries.push(held);
        continue;
      }
      const content = input.originals.get(held.entry.artifact);
      if (content === undefined) return null;
      entries.push(hold(originalEntry(held.entry, content, input.counter)));
    }
    restored.push({ ...unit, entries, tokens: entries.reduce((sum, one) => sum + one.entry.tokens, 0) });
  }
  return restored;
}

/** The entry as it was before it was cut, counted. */
export function originalEntry(entry: Entry, content: string, counter: AssembleInput['counter']): Entry {
  const { artifact: _, dropped: __, ...rest } = entry;
  const original: Entry = { ...rest, text: content };
  if (entry.parts !== undefined) {
    original.parts = JSON.parse(content) as NonNullable<Entry['parts']>;
    original.text = textOfParts(original.parts);
  }
  original.tokens = countEntry(counter, original);
  return original;
}

function same(held: Held): Held {
  return held;
}

function positionsOf(entries: readonly Held[], total: number): Map<string, number> {
  const positions = new Map<string, number>();
  let before = total;
  for (const { entry } of entries.toReversed()) {
    before -= entry.tokens;
    positions.set(entry.id, before);
  }
  return positions;
}

/** Units that begin before the first event of the strategy's window. */
function beyond(units: readonly Unit[], first: Held | undefined): ReadonlySet<Unit> {
  const newest = units[units.length - 1];
  return new Set(units.filter((unit) => first !== undefined && unit.order < first.order && unit !== newest));
}

/** Messages without any content are valid for no provider. */
function isEmpty(unit: Unit, unpaired: Paired['unpaired']): boolean {
  const [held] = unit.entries;
  if (held === undefined || held.entry.kind !== 'message') return false;
  if (!isBlank(held.entry)) return false;
  unpaired.push({ held, why: 'the message is empty' });
  return true;
}

import { type Held, hold, originalEntry, pairCalls } from '@palimpsest/strategy';
import type { TokenCounter } from '@palimpsest/tokens';

/**
 * What a pin brings back, of sorted entries among which are those of its message: the original of the message, or of a
 * call with its result. The rest of its step comes along as it was rendered, since a step stands or falls together.
 * Only the message itself where its call is still open.
 */
export function pinnedEntries(
  id: string,
  entries: readonly Held[],
  originals: ReadonlyMap<string, string>,
  counter: TokenCounter,
): Held[] {
  const target = entries.find(({ entry }) => entry.id === id);
  if (target === undefined) return [];
  const restore = (held: Held): Held => {
    const content = held.entry.artifact === undefined ? undefined : originals.get(held.entry.artifact);
    return content === undefined ? held : hold(originalEntry(held.entry, content, counter));
  };
  if (target.entry.kind === 'message') return [restore(target)];
  const callId = target.entry.call_id;
  const tools = entries.filter(({ entry }) => entry.kind !== 'message');
  const steps = new Set(
    tools.flatMap(({ entry }) => (entry.call_id === callId ? (entry.step_id ?? []) : [])),
  );
  const callIds = new Set([callId]);
  for (const { entry } of tools) {
    if (entry.step_id !== undefined && steps.has(entry.step_id)) callIds.add(entry.call_id);
  }
  const { units } = pairCalls(tools.filter(({ entry }) => callIds.has(entry.call_id)));
  const unit = units.find((one) => one.entries.some(({ entry }) => entry.id === id));
  if (unit === undefined) return [restore(target)];
  const half = unit.entries.length / 2;
  const at = unit.entries.findIndex(({ entry }) => entry.id === id) % half;
  return unit.entries.map((held, index) => (index % half === at ? restore(held) : held));
}

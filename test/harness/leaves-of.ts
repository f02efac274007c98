import type { ChatEvent } from '@palimpsest/events';
import type { Fact, SummaryLeaf } from '@palimpsest/strategy';
import { selectBlock } from '../../packages/derivations/src/select-block.js';

/** Leaves as the summarizer cuts them: whole steps, in touching ranges, the newest events never, pins and rules out. */
export function leavesOf(events: readonly ChatEvent[], block = 6, keepLive = 4): SummaryLeaf[] {
  const leaves: SummaryLeaf[] = [];
  const waiting: {
    id: string;
    order: string;
    kind: 'message' | 'tool_call' | 'tool_result';
    call?: string;
    step?: string;
  }[] = [];
  let border = -1n;
  for (const [offset, event] of events.entries()) {
    if (event.type !== 'message' && event.type !== 'tool_call' && event.type !== 'tool_result') continue;
    if (event.type === 'message' && (event.role === 'system' || event.role === 'developer')) continue;
    const order = event.seq ?? BigInt(offset);
    if (order <= border) continue; // late: no leaf has seen it
    const item: (typeof waiting)[number] = { id: event.event_id, order: String(order), kind: event.type };
    if (event.type !== 'message') item.call = event.call_id;
    if (event.type === 'tool_call' && event.step_id !== null) item.step = event.step_id;
    waiting.push(item);
    waiting.sort((a, b) => Number(a.order) - Number(b.order));
    const selected = selectBlock(waiting, { block, keepLive }, new Set());
    if (selected === null) continue;
    const to = BigInt((waiting[selected.end - 1] as { order: string }).order);
    const from =
      selected.start === 0
        ? border + 1n
        : BigInt((waiting[selected.start - 1] as { order: string }).order) + 1n;
    leaves.push({ from, to, seen: BigInt(offset), text: `SUMMARY<${from}-${to}>`, carried: [] });
    border = to;
    waiting.splice(0, selected.end);
  }
  return leaves;
}

/** A fact of every third message of the user. */
export function factsOf(events: readonly ChatEvent[]): Fact[] {
  return events.flatMap((event, offset) =>
    event.type === 'message' && event.role === 'user' && offset % 3 === 0
      ? [
          {
            type: 'preference',
            actor: 'user',
            subject: `s${offset}`,
            payload: 'yes',
            validUntil: null,
            sourceOrder: event.seq ?? BigInt(offset),
          },
        ]
      : [],
  );
}

import { type PalimpsestEvent, TOPICS } from '@palimpsest/events';
import type { EventLog } from '@palimpsest/log';
import { eventsOf, type LogDecoder } from './events-of.js';

/** Which conversations a generation is made of; every field that is there must hold. */
export interface ReplayScope {
  tenant?: string;
  conversations?: readonly string[];
  /** Conversations that an agent of this name took part in, or whose settings name its type. */
  agent?: string;
  /** Conversations with an event in [from, to), ms since 1970. */
  from?: number;
  to?: number;
}

/** Equal for equal scopes; null where it is everything. */
export function canonicalScope(scope: ReplayScope): string | null {
  const { tenant, conversations, agent, from, to } = scope;
  const canonical = JSON.stringify({
    tenant,
    conversations: conversations === undefined ? undefined : [...new Set(conversations)].toSorted(),
    agent,
    from,
    to,
  });
  return canonical === '{}' ? null : canonical;
}

/**
 * Whether an event belongs to the scope, for whole conversations: those of an agent or a time are looked for in the log
 * first. Undefined where everything does.
 */
export async function acceptsOf(
  scope: ReplayScope,
  log: EventLog,
  decode: LogDecoder,
): Promise<((event: PalimpsestEvent) => boolean) | undefined> {
  if (canonicalScope(scope) === null) return undefined;
  const { tenant, agent, from, to } = scope;
  const named = scope.conversations === undefined ? null : new Set(scope.conversations);
  const isNamed = (event: PalimpsestEvent): boolean =>
    (tenant === undefined || event.tenant === tenant) && (named === null || named.has(event.conversation_id));
  if (agent === undefined && from === undefined && to === undefined) return isNamed;
  const agents = new Set<string>();
  const times = new Set<string>();
  for await (const { event } of eventsOf(log, TOPICS.messages, decode)) {
    if (!isNamed(event)) continue;
    if (agent === undefined || isOf(agent, event)) agents.add(keyOf(event));
    const at = event.occurred_at;
    if ((from === undefined || at >= from) && (to === undefined || at < to)) times.add(keyOf(event));
  }
  return (event) => isNamed(event) && agents.has(keyOf(event)) && times.has(keyOf(event));
}

function isOf(agent: string, event: PalimpsestEvent): boolean {
  return event.agent === agent || (event.type === 'conversation_settings' && event.agent_type === agent);
}

function keyOf({ tenant, conversation_id }: PalimpsestEvent): string {
  return `${tenant}\0${conversation_id}`;
}

/**
 * Events as they lie in the log, after validation and before any strategy touches them.
 * One interface per Avro record of `schemas/avro`; field names are those of the API and of the schemas.
 */

/** What every event of a conversation carries. */
export interface Envelope {
  /** UUID, the identity for "once": two events with one id are one event. */
  event_id: string;
  /** From the API key, never from the body. */
  tenant: string;
  conversation_id: string;
  /** The producer's own order inside the conversation; null = order of the log. */
  seq: bigint | null;
  /** Milliseconds since 1970-01-01T00:00Z, as the producer says. */
  occurred_at: number;
  client_id: string | null;
  task_id: string | null;
  agent: string | null;
}

/** One part of a message or result. `thinking` is opaque: kept and sent back byte for byte. */
export interface ContentPart {
  kind: 'text' | 'image' | 'thinking' | 'unknown';
  text: string | null;
  mime: string | null;
  /** Base64, as given. */
  data: string | null;
  url: string | null;
  signature: string | null;
}

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'unknown';

export interface MessageEvent extends Envelope {
  type: 'message';
  role: Role;
  content: ContentPart[];
}
export interface ToolCallEvent extends Envelope {
  type: 'tool_call';
  call_id: string;
  tool: string;
  /** JSON text where the agent gave an object (numbers as written), else the raw string. */
  arguments: string;
  /** Parallel calls of one step share it. */
  step_id: string | null;
}
export interface ToolResultEvent extends Envelope {
  type: 'tool_result';
  call_id: string;
  content: ContentPart[];
  /** As declared: a MIME type or one of the cutting types. */
  content_type: string | null;
  is_error: boolean;
}
export interface PinEvent extends Envelope {
  type: 'pin' | 'unpin' | 'correction';
  /** The event id of the message it speaks of. */
  message_id: string;
}
export interface StatePatchEvent extends Envelope {
  type: 'state_patch';
  /** JSON text of an RFC 7396 merge patch. */
  patch: string;
  source_ids: string[];
}
export interface ToolsDeclaredEvent extends Envelope {
  type: 'tools_declared';
  /** `schema` is JSON text. */
  tools: { name: string; summary: string; schema: string; phases: string[] }[];
}
export interface PhaseEvent extends Envelope {
  type: 'phase';
  phase: string;
}
export interface ConversationSettingsEvent extends Envelope {
  type: 'conversation_settings';
  agent_type: string | null;
  model: string | null;
  language: string | null;
  time_zone: string | null;
  verbatim: boolean | null;
  full_context: boolean | null;
}
export interface ErasureRequestedEvent extends Envelope {
  type: 'erasure_requested';
  reason: string | null;
}

/** Token counts as the provider said them; not yet disjoint (see the ledger). */
export interface Usage {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write_5m: number | null;
  cache_write_1h: number | null;
  reasoning: number | null;
}
export type UsageSemantics = 'input_includes_cache' | 'input_excludes_cache' | 'unknown';
export type Purpose = 'answer' | 'summary' | 'facts' | 'judge';

export interface StepEvent extends Envelope {
  type: 'step';
  task_id: string;
  step_index: number;
  run_id: string | null;
  provider: string;
  model: string;
  usage: Usage;
  /** Null = implied by the provider. */
  usage_semantics: UsageSemantics | null;
  answer_id: string | null;
  request_id: string | null;
  /** False for a streaming partial. */
  final: boolean;
  purpose: Purpose;
  /** `name@version` of the strategy whose context the step was given; the API stamps the live one where absent. */
  strategy: string | null;
  generation: number | null;
  model_resolved: string | null;
  tool_name: string | null;
  tool_result_bytes: number | null;
  state_bytes: number | null;
  latency_ms: number | null;
  ttft_ms: number | null;
  context_tokens: number | null;
  stable_prefix_tokens: number | null;
}
export interface TaskStartedEvent extends Envelope {
  type: 'task_started';
  task_id: string;
}
export type Outcome = 'completed' | 'failed' | 'abandoned' | 'handed_over' | 'unknown';
export interface TaskFinishedEvent extends Envelope {
  type: 'task_finished';
  task_id: string;
  outcome: Outcome;
}

/** What a model made of a range of a conversation, with all that is needed to trust it, price it and reuse it. */
interface DerivationEnvelope extends Envelope {
  /** First and last order key (`seq`, else log offset) of the source range, inclusive. */
  from_order: bigint;
  to_order: bigint;
  /** Log offset up to which the source was known when the call was made: later arrivals are not covered. */
  seen_offset: bigint;
  provider: string;
  model: string;
  prompt_hash: string;
  input_hash: string;
  stop_reason: string;
  usage: Usage | null;
}
export interface SummaryMadeEvent extends DerivationEnvelope {
  type: 'summary_made';
  text: string;
  /** Identifiers of the source that `text` lost. */
  carried: string[];
  language: string | null;
}
export interface ExtractedFact {
  fact_type: string;
  actor: 'client' | 'agent' | 'unknown';
  subject: string;
  payload: string;
  valid_from: number | null;
  valid_until: number | null;
  /** Event id of the message it was read from. */
  source_id: string;
}
export interface FactsMadeEvent extends DerivationEnvelope {
  type: 'facts_made';
  facts: ExtractedFact[];
}

/** Everything that lies on `chat.messages`. */
export type ChatEvent =
  | MessageEvent
  | ToolCallEvent
  | ToolResultEvent
  | PinEvent
  | StatePatchEvent
  | ToolsDeclaredEvent
  | PhaseEvent
  | ConversationSettingsEvent
  | ErasureRequestedEvent;
/** Everything that lies on `context.derivations`. */
export type DerivationEvent = SummaryMadeEvent | FactsMadeEvent;
/** Everything that lies on `agent.tasks`. */
export type TaskEvent = TaskStartedEvent | TaskFinishedEvent;
export type PalimpsestEvent = ChatEvent | DerivationEvent | StepEvent | TaskEvent;
export type EventType = PalimpsestEvent['type'];

/** A part that is plain text. */
export function textPart(text: string): ContentPart {
  return { kind: 'text', text, mime: null, data: null, url: null, signature: null };
}

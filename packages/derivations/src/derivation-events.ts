import type { DerivationEvent, Envelope, StepEvent } from '@palimpsest/events';
import { type DerivationPurpose, inputHash, type SourceMessage } from '@palimpsest/llm';
import { deterministicId } from './deterministic-id.js';
import type { DerivationJob } from './derivation-job.js';
import type { DerivationDependencies, Derived, ModelCall } from './derivation-service.js';

/** What identifies a derivation besides its range: whoever makes it again, in any generation, makes the same event. */
export interface DerivationHashes {
  promptHash: string;
  inputHash: string;
}

/** The id of the answer to a question about a range, and of what was refused of it. */
export function derivationId(
  purpose: DerivationPurpose,
  job: Pick<DerivationJob, 'tenant' | 'conversation_id' | 'from' | 'to'>,
  hashes: DerivationHashes,
): string {
  const range = [job.tenant, job.conversation_id, job.from, job.to];
  return deterministicId(purpose, ...range, hashes.promptHash, hashes.inputHash);
}

/** Which answer a job asks for: the same for the same question about the same source, whoever asks. */
export function identify(
  purpose: DerivationPurpose,
  promptHash: string,
  job: DerivationJob,
  messages: readonly SourceMessage[],
): { id: string; hashes: DerivationHashes } {
  const hashes = {
    promptHash,
    inputHash: inputHash({
      messages,
      language: job.language,
      timeZone: purpose === 'facts' ? job.time_zone : null,
    }),
  };
  return { id: derivationId(purpose, job, hashes), hashes };
}

export function derivationEvent(
  dependencies: DerivationDependencies,
  job: DerivationJob,
  id: string,
  hashes: DerivationHashes,
  derived: Exclude<Derived, { kind: 'rejected' }>,
  calls: readonly ModelCall[],
  at: number,
): DerivationEvent {
  const provenance = {
    ...envelope(job, id, at),
    from_order: BigInt(job.from),
    to_order: BigInt(job.to),
    seen_offset: BigInt(job.seen_offset),
    provider: dependencies.model.provider,
    model: derived.model,
    prompt_hash: hashes.promptHash,
    input_hash: hashes.inputHash,
    stop_reason: derived.stopReason,
    usage: calls.at(-1)?.usage ?? null,
  };
  if (derived.kind === 'facts') return { ...provenance, type: 'facts_made', facts: derived.facts };
  const { text, carried, language } = derived;
  return { ...provenance, type: 'summary_made', text, carried, language };
}

/**
 * One step per paid call, so that maintenance is on the bill. A call without usage is no step: no number is made up.
 * The id names derivation, run and call: a run repeated after a crash did pay again.
 */
export function stepEvents(
  purpose: DerivationPurpose,
  dependencies: DerivationDependencies,
  job: DerivationJob,
  attempt: number,
  id: string,
  calls: readonly ModelCall[],
  at: number,
): StepEvent[] {
  return calls.flatMap((call, index) => {
    if (call.usage === null) return [];
    const stepId = deterministicId('step', dependencies.generation, id, attempt, index);
    return [
      {
        ...envelope(job, stepId, at),
        type: 'step' as const,
        // Empty = maintenance of no task: on the bill, but not a task of its own.
        task_id: job.task_id ?? '',
        step_index: 0,
        run_id: null,
        provider: dependencies.model.provider,
        model: dependencies.model.model,
        usage: call.usage,
        usage_semantics: dependencies.model.usageSemantics,
        answer_id: stepId,
        request_id: stepId,
        final: true,
        purpose,
        strategy: dependencies.strategy,
        generation: dependencies.generation,
        model_resolved: call.model,
        tool_name: null,
        tool_result_bytes: null,
        state_bytes: null,
        latency_ms: call.latencyMs,
        ttft_ms: null,
        context_tokens: null,
        stable_prefix_tokens: null,
      },
    ];
  });
}

function envelope(job: DerivationJob, id: string, at: number): Envelope {
  return {
    event_id: id,
    tenant: job.tenant,
    conversation_id: job.conversation_id,
    seq: null,
    occurred_at: at,
    client_id: job.client_id,
    task_id: job.task_id,
    agent: job.agent,
  };
}

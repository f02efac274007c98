import type { LanguageModel } from '../language-model.js';
import { ModelCallError } from '../model-errors.js';
import { type CircuitOptions, createCircuitBreaker } from './circuit-breaker.js';
import { createSlots, type Slots } from './slots.js';

export interface CallLimits {
  /** Calls at once to this endpoint: what is above waits. Default no limit; 1 for servers that drop the one before. */
  concurrency?: number;
  /** Calls at once of one tenant: what is above is held, so that others come through. Default no limit. */
  tenantConcurrency?: number;
  circuit?: CircuitOptions;
}

/** How long a call above its tenant's limit stays away, in milliseconds. */
const HELD_MS = 1000;

/**
 * A model with limits in this process: calls at once, calls at once of a tenant, and a circuit breaker. What a limit
 * holds back rejects with `ModelCallError.held` and how long to stay away: no request was sent.
 */
export function limitCalls(model: LanguageModel, limits: CallLimits): LanguageModel {
  const circuit = createCircuitBreaker(limits.circuit);
  const all = limits.concurrency === undefined ? null : createSlots(limits.concurrency);
  const perTenant = new Map<string, Slots>();

  function takeTenant(tenant: string | undefined): () => void {
    if (tenant === undefined || limits.tenantConcurrency === undefined) return () => {};
    const slots = perTenant.get(tenant) ?? createSlots(limits.tenantConcurrency);
    perTenant.set(tenant, slots);
    const release = slots.tryTake();
    if (release === null) {
      throw new ModelCallError(
        `The tenant has ${limits.tenantConcurrency} model calls under way, as many as it may.`,
        { retryable: true, held: true, retryAfterMs: HELD_MS },
      );
    }
    return () => {
      release();
      if (slots.taken === 0) perTenant.delete(tenant);
    };
  }

  async function limited<T>(
    tenant: string | undefined,
    signal: AbortSignal,
    call: () => Promise<T>,
  ): Promise<T> {
    const releaseTenant = takeTenant(tenant);
    try {
      const release = (await all?.take(signal)) ?? (() => {});
      try {
        return await circuit.run(call);
      } finally {
        release();
      }
    } finally {
      releaseTenant();
    }
  }

  return {
    ...model,
    summarize: (request, signal) => limited(request.tenant, signal, () => model.summarize(request, signal)),
    extractFacts: (request, signal) =>
      limited(request.tenant, signal, () => model.extractFacts(request, signal)),
  };
}

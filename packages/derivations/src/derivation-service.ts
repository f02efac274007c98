import type { DerivationEvent, ExtractedFact, PalimpsestEvent, Usage } from '@palimpsest/events';
import type { DerivationPurpose, LanguageModel } from '@palimpsest/llm';
import type { EventLog, LogRecord } from '@palimpsest/log';
import type { ConsumerMetrics, Logger, Metrics } from '@palimpsest/observability';
import type pg from 'pg';
import type { DerivationJob } from './derivation-job.js';
import type { BlockSource } from './read-block.js';
import type { BlockSettings } from './select-block.js';

export type DerivationMetrics = ConsumerMetrics &
  Pick<Metrics, 'derivation_jobs_total' | 'model_calls_total'>;

/** What the summarizer and the fact-extractor are built from. */
export interface DerivationDependencies {
  log: EventLog;
  pool: pg.Pool;
  model: LanguageModel;
  decode(record: LogRecord): PalimpsestEvent | Promise<PalimpsestEvent>;
  /** Appends events to the topics of their types, in the order given. Resolves when they are durable. */
  append(events: readonly PalimpsestEvent[]): Promise<void>;
  /** Which events are folded and projected; default all. A generation for comparison is made of a part of them. */
  accepts?(event: PalimpsestEvent): boolean;
  generation: number;
  /** Jobs run side by side, over what the settings say. */
  concurrency?: number;
  /** What memory may cost; default no limit. */
  limits?: SpendLimits;
  /** `name@version` of the generation's strategy, for the bill. */
  strategy: string | null;
  metrics: DerivationMetrics;
  logger: Logger;
  /** Milliseconds since 1970. Default: the system's clock. */
  now?: () => number;
}

export interface SpendLimits {
  /** Tokens, input and output, that one tenant's summaries and facts may use on a day (UTC), over all processes. */
  tokensPerTenantDay?: number;
}

export interface DerivationSettings extends BlockSettings {
  /** Cap of an answer in tokens. */
  maxTokens: number;
  /** Jobs run side by side. */
  concurrency: number;
  /** How often jobs whose time has come are looked for; new jobs wake the worker at once. */
  pollMs: number;
  /** How often jobs of dead workers are set free. */
  reclaimMs: number;
  /** How long a job of a worker that nobody knows is left alone. */
  graceMs: number;
}

export const DEFAULT_SETTINGS: DerivationSettings = {
  block: 20,
  keepLive: 10,
  maxTokens: 400,
  concurrency: 2,
  pollMs: 1000,
  reclaimMs: 10_000,
  graceMs: 5000,
};

/** One paid answer, used or not. */
export interface ModelCall {
  model: string;
  usage: Usage | null;
  latencyMs: number;
  /** SHA-256 of the answer as it came. */
  answerHash: string;
}

interface Made {
  /** As the answer named it. */
  model: string;
  stopReason: string;
}
/** What came of asking a model: content to keep, or the reason why the last good view stands. */
export type Derived =
  | (Made & { kind: 'summary'; text: string; carried: string[]; language: string | null })
  | (Made & { kind: 'facts'; facts: ExtractedFact[]; refused: RefusedPart | null })
  | ({ kind: 'rejected' } & RefusedPart);

/** What was not taken of an answer, and why; kept for a person to see. */
export interface RefusedPart {
  reason: string;
  answer: string;
}

/** What distinguishes one derivation service from another. */
export interface Derivation {
  /** Name of the consumer. */
  name: string;
  purpose: DerivationPurpose;
  /** Whether a block is worth a call at all. */
  isWorthAsking(source: BlockSource): boolean;
  /**
   * Asks the model, within a bounded number of calls, each reported to `calls` when it was paid. No transaction is
   * open. Throws what should be tried again later (ModelCallError); a bad answer is a `rejected` result.
   */
  derive(
    request: { job: DerivationJob; source: BlockSource; calls: ModelCall[] },
    signal: AbortSignal,
  ): Promise<Derived>;
  /** Projects derivation events that were never projected before, in log order, in the batch's transaction. */
  project(tx: pg.PoolClient, events: readonly DerivationEvent[]): Promise<void>;
}

export interface RunningDerivation {
  /** Aborts model calls, waits for jobs and handlers. Idempotent. */
  stop(): Promise<void>;
  /** Rejects when the consumer ended by a fatal error. */
  readonly done: Promise<void>;
  /** Records not yet handled. */
  lag(): Promise<bigint>;
  /** Jobs of this generation that are not finished, those that failed for good excepted. */
  pendingJobs(): Promise<number>;
}

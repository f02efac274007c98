/**
 * Every metric there is. The list is closed: a part that wants a new one adds it here, with what an operator does
 * about it. Labels never name a tenant, a conversation or a key: their number has no bound.
 */
export interface MetricDefinition {
  kind: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  /** What it counts, with its unit. */
  help: string;
  /** What an operator does when it moves. */
  does: string;
  /** Histograms: upper bounds in the metric's unit. */
  buckets?: readonly number[];
}

const BATCH_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const READ_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const METRICS = {
  consumer_records_total: {
    kind: 'counter',
    labels: ['consumer', 'topic'],
    help: 'Records whose checkpoint has moved past them, dead letters and tombstones included.',
    does: 'Flat while lag grows: the consumer is stuck; read its log and consumer_retries_total.',
  },
  consumer_tombstones_total: {
    kind: 'counter',
    labels: ['consumer', 'topic'],
    help: 'Records without a value, skipped on purpose.',
    does: 'None is expected on our topics: find the producer that writes them.',
  },
  consumer_lag_records: {
    kind: 'gauge',
    labels: ['consumer', 'topic', 'partition'],
    help: 'Records between the checkpoint and the end of the partition.',
    does: 'Grows on all partitions: add processes up to the number of partitions, or look at Postgres. On one: a retry.',
  },
  consumer_batch_seconds: {
    kind: 'histogram',
    labels: ['consumer'],
    help: 'Time from a batch delivered to its transaction committed, in seconds.',
    does: 'Grows: Postgres is slow (locks, disk, vacuum) or batches are large; look at pg_stat_activity.',
    buckets: BATCH_SECONDS,
  },
  consumer_retries_total: {
    kind: 'counter',
    labels: ['consumer', 'class'],
    help: 'Batches tried again, by class of error.',
    does: 'Class database or registry: restore that dependency; serialization: harmless in small numbers.',
  },
  consumer_ready: {
    kind: 'gauge',
    labels: ['consumer'],
    help: '1 while the consumer can do its work, 0 while it waits for a dependency.',
    does: '0 for minutes: restore the dependency that the log names. Nothing is lost meanwhile.',
  },
  dead_letters_total: {
    kind: 'counter',
    labels: ['consumer', 'topic', 'class'],
    help: 'Records put to the dead-letter topic.',
    does: 'Mend the cause, then replay them: docs/runbook.md, "Dead letters".',
  },
  stale_owner_writes_total: {
    kind: 'counter',
    labels: ['consumer'],
    help: 'Transactions that failed as a whole because another process owns the partition now.',
    does: 'A few at a rebalance are right. A steady rate: two deployments share one consumer name; stop one.',
  },
  context_requests_total: {
    kind: 'counter',
    labels: ['status'],
    help: 'Contexts asked for, by HTTP status.',
    does: '5xx: see the log of context-api. 404 in numbers: agents ask before they post.',
  },
  context_seconds: {
    kind: 'histogram',
    labels: [],
    help: 'Time to answer a context request, waiting for the position included, in seconds.',
    does: 'Grows with consumer_lag_records: agents wait for their own events; speed up the truncator.',
    buckets: READ_SECONDS,
  },
  context_floor_errors_total: {
    kind: 'counter',
    labels: [],
    help: 'Contexts refused because pins and other fixed parts alone exceed the budget.',
    does: 'Raise the budget, or unpin; the error body has the breakdown.',
  },
  unpriced_steps_total: {
    kind: 'counter',
    labels: ['provider'],
    help: 'Steps for whose model no price was valid at their time; their cost is NULL.',
    does: 'Add the price: steps from then on are priced. Sums over earlier ones say "at least".',
  },
  usage_flags_total: {
    kind: 'counter',
    labels: ['flag'],
    help: 'Steps whose token counts do not add up or whose semantics are unknown.',
    does: 'Make the platform send usage_semantics; see the flag in docs/ledger.md.',
  },
  derivation_jobs_total: {
    kind: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Jobs that ask a model for a summary or facts, by outcome.',
    does: 'Outcome failed or rejected grows: look at the model; views keep their last good state.',
  },
  model_calls_total: {
    kind: 'counter',
    labels: ['provider', 'outcome'],
    help: 'Calls to a model, by outcome.',
    does: 'Outcome error or timeout: check the provider and its key; limited: lower the concurrency.',
  },
  conflicts_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Events that claim a place another event has, or mix events with and without seq.',
    does: 'Mend the producer; the table palimpsest.conflicts names the events.',
  },
  http_requests_total: {
    kind: 'counter',
    labels: ['route', 'status'],
    help: 'HTTP requests, by route pattern and status.',
    does: '429: a client is over its rate; 5xx: see the log.',
  },
  http_seconds: {
    kind: 'histogram',
    labels: ['route'],
    help: 'Time to answer an HTTP request, in seconds.',
    does: 'Grows on all routes: the process or Postgres is short of CPU.',
    buckets: READ_SECONDS,
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

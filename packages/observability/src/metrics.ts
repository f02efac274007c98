import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricDefinition, METRICS, type MetricName } from './metric-list.js';

type LabelsOf<N extends MetricName> = (typeof METRICS)[N]['labels'][number];
type MetricOf<N extends MetricName> = (typeof METRICS)[N]['kind'] extends 'counter'
  ? Counter<LabelsOf<N>>
  : (typeof METRICS)[N]['kind'] extends 'gauge'
    ? Gauge<LabelsOf<N>>
    : Histogram<LabelsOf<N>>;

/** One property per entry of the list, plus the registry they live in. */
export type Metrics = { readonly [N in MetricName]: MetricOf<N> } & { readonly registry: Registry };

/** What the consume loop moves. */
export type ConsumerMetrics = Pick<
  Metrics,
  | 'consumer_records_total'
  | 'consumer_tombstones_total'
  | 'consumer_lag_records'
  | 'consumer_batch_seconds'
  | 'consumer_retries_total'
  | 'consumer_ready'
  | 'dead_letters_total'
  | 'stale_owner_writes_total'
>;

const PREFIX = 'palimpsest_';

/** All metrics of the list in a registry of their own: `metrics.dead_letters_total.inc({ … })`. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const metrics: Record<string, unknown> = { registry };
  for (const [name, definition] of Object.entries<MetricDefinition>(METRICS)) {
    metrics[name] = create(PREFIX + name, definition, registry);
  }
  return metrics as Metrics;
}

/** The text a scrape gets. Its content type is `metrics.registry.contentType`. */
export function renderMetrics(metrics: Pick<Metrics, 'registry'>): Promise<string> {
  return metrics.registry.metrics();
}

function create(name: string, definition: MetricDefinition, registry: Registry): Counter | Gauge | Histogram {
  const settings = { name, help: definition.help, labelNames: [...definition.labels], registers: [registry] };
  if (definition.kind === 'counter') return new Counter(settings);
  if (definition.kind === 'gauge') return new Gauge(settings);
  return new Histogram({ ...settings, buckets: [...(definition.buckets ?? [])] });
}

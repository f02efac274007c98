export { createMetricsSink, METRICS_SINK } from './metrics-sink.js';
export type { MetricsSinkOptions } from './metrics-sink.js';

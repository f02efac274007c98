export { createLogger } from './logger.js';
export type { Logger, LoggerOptions } from './logger.js';
export { METRICS } from './metric-list.js';
export type { MetricDefinition, MetricName } from './metric-list.js';
export { createMetrics, renderMetrics } from './metrics.js';
export type { ConsumerMetrics, Metrics } from './metrics.js';
export { traceHeaders, traceOf, withTrace } from './trace-headers.js';

export { auditLedger } from './audit-ledger.js';
export type { LedgerAuditResult } from './audit-ledger.js';
export { createMetricsSink, METRICS_SINK } from './metrics-sink.js';
export type { MetricsSinkOptions } from './metrics-sink.js';

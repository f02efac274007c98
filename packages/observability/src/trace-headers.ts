import { type Context, context, propagation, trace } from '@opentelemetry/api';

/** W3C Trace Context, version 00: version, trace id, span id, flags. Ids of zeros are invalid by the standard. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace headers among a record's or a request's headers; a malformed one is left out, never passed on. */
export function traceOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const parent = headers['traceparent'];
  if (typeof parent !== 'string' || !TRACEPARENT.test(parent)) return {};
  const state = headers['tracestate'];
  return typeof state === 'string' && state.length <= 512
    ? { traceparent: parent, tracestate: state }
    : { traceparent: parent };
}

/** Headers to put on a record appended now: those of the active span, else those of what caused it. */
export function traceHeaders(cause: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const active: Record<string, string> = {};
  propagation.inject(context.active(), active);
  if (active['traceparent'] !== undefined) return active;
  const span = trace.getActiveSpan()?.spanContext();
  if (span !== undefined && trace.isSpanContextValid(span)) {
    const flags = span.traceFlags.toString(16).padStart(2, '0');
    return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}` };
  }
  return traceOf(cause);
}

/** Runs `work` inside the trace that the headers name, if an OpenTelemetry SDK is set up; else just runs it. */
export function withTrace<T>(headers: Readonly<Record<string, unknown>>, work: () => T): T {
  const parent: Context = propagation.extract(context.active(), traceOf(headers));
  return context.with(parent, work);
}

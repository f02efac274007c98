import { describe, expect, it } from 'vitest';
import { traceHeaders, traceOf, withTrace } from './index.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('traceOf', () => {
  it('takes the trace from a record and leaves the other headers', () => {
    expect(traceOf({ traceparent: parent, tracestate: 'a=1', 'event-id': 'e' })).toEqual({
      traceparent: parent,
      tracestate: 'a=1',
    });
  });

  it.each([
    ['nothing', undefined],
    ['garbage', 'garbage'],
    ['zeros for a trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a list', [parent]],
    ['a line break', `${parent}\n`],
  ])('passes on no trace for %s', (_name, traceparent) => {
    expect(traceOf({ traceparent, tracestate: 'a=1' })).toEqual({});
  });
});

describe('traceHeaders', () => {
  it('hands on the trace of what caused a record where no span is active', () => {
    expect(traceHeaders({ traceparent: parent, other: 'x' })).toEqual({ traceparent: parent });
  });
});

describe('withTrace', () => {
  it('runs the work and answers with its result', () => {
    expect(withTrace({ traceparent: parent }, () => 7)).toBe(7);
  });
});

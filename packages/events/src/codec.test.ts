import { readFileSync } from 'node:fs';
import avro from 'avsc';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEvent, asStored } from '../test/arbitrary-events.js';
import { sampleEvents, sampleIds } from '../test/sample-events.js';
import { createCodec } from './codec.js';
import type { PalimpsestEvent } from './event.js';
import { EVENT_TYPES, recordName, schemaText } from './schemas.js';

const noRegistry = () => Promise.reject(new Error('not asked'));
const codec = createCodec({ ids: sampleIds, schemaById: noRegistry });

interface Golden {
  schema: avro.Schema;
  wire: string;
}
const golden = JSON.parse(
  readFileSync(new URL('./fixtures/golden-events.json', import.meta.url), 'utf8'),
) as Record<string, Golden>;

describe.each(EVENT_TYPES)('an event %s', (type) => {
  it('comes back as it was, with lone surrogates as U+FFFD', () => {
    fc.assert(
      fc.property(anyEvent(type), (event) => {
        expect(codec.decode(codec.encode(event))).toEqual(asStored(event));
      }),
      { seed: 20260101, numRuns: 80 },
    );
  });

  it('has the bytes it had when its schema was first published', () => {
    // A red line here is a changed schema: keep this golden event, add the new bytes as a second one.
    expect(codec.encode(sampleEvents[type]).toString('hex')).toBe(golden[type]?.wire);
  });

  it('is read for ever from the bytes and the schema that were first published', async () => {
    const { schema, wire } = golden[type] as Golden;
    const later = createCodec({ ids: new Map(), schemaById: async () => JSON.stringify(schema) });
    const value = Buffer.from(wire, 'hex');
    expect(await later.decode(value)).toEqual(sampleEvents[type]);
    expect(later.decode(value)).toEqual(sampleEvents[type]);
  });

  it('is read by plain Avro, without anything of ours', () => {
    const { type: _, ...sample } = sampleEvents[type];
    const narrow = (long: unknown) => mapped(sample, (value) => (typeof value === 'bigint' ? long : value));
    const body = codec.encode({ type, ...narrow(7n) } as PalimpsestEvent).subarray(5);
    const plain = avro.Type.forSchema(JSON.parse(schemaText(type)) as avro.Schema, { wrapUnions: 'never' });
    expect(plain.fromBuffer(body)).toEqual(narrow(7));
  });
});

function mapped(fields: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value)]));
}

describe('the wire format', () => {
  it('is 0, the schema id in four bytes with the highest first, then Avro', () => {
    const ids = new Map([['phase', 0x89abcdef]] as const);
    const value = createCodec({ ids, schemaById: noRegistry }).encode(sampleEvents.phase);
    expect(value.subarray(0, 5).toString('hex')).toBe('0089abcdef');
    expect(createCodec({ ids, schemaById: noRegistry }).decode(value)).toEqual(sampleEvents.phase);
  });

  it('carries valid UTF-8, also where a text is not valid UTF-16', () => {
    fc.assert(
      fc.property(anyEvent('tool_call'), (event) => {
        const text = (event as { tool: string }).tool;
        const value = codec.encode(event);
        expect(value.includes(Buffer.from(text.toWellFormed(), 'utf8'))).toBe(true);
      }),
      { seed: 20260102, numRuns: 200 },
    );
    const short = codec.encode({ ...sampleEvents.phase, phase: 'a\ud800b' } as PalimpsestEvent);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(short.subarray(-7))).not.toThrow();
  });

  it('unseals the value by its headers before anything else', () => {
    const sealed = createCodec({
      ids: sampleIds,
      schemaById: noRegistry,
      unseal: (value, headers) => value.map((byte) => byte ^ Number(headers['key-id'])) as Buffer,
    });
    const value = sealed.encode(sampleEvents.pin);
    const closed = Buffer.from(value.map((byte) => byte ^ 7));
    expect(sealed.decode(closed, { 'key-id': '7' })).toEqual(sampleEvents.pin);
  });
});

describe('encoding', () => {
  it('names the command that registers a schema it has no id for', () => {
    const bare = createCodec({ ids: new Map(), schemaById: noRegistry });
    expect(() => bare.encode(sampleEvents.pin)).toThrow(/schemas register/);
  });

  it.each([
    ['a fraction of a token', { usage: { input: 1.5, output: 0 } }],
    ['a count beyond 2^53', { step_index: 2 ** 53 }],
    ['a seq beyond 64 bits', { seq: 2n ** 63n }],
    ['a missing text', { provider: undefined }],
    ['a symbol that no schema has', { purpose: 'fun' }],
  ])('refuses %s, naming the event', (_, wrong) => {
    const event = { ...sampleEvents.step, ...wrong } as unknown as PalimpsestEvent;
    expect(() => codec.encode(event)).toThrow(`Event ${event.event_id} is no ${recordName('step')}`);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleEvents, sampleIds } from '../test/sample-events.js';
import { parseSchema } from './avro-types.js';
import { createCodec } from './codec.js';
import type { EventType, PalimpsestEvent } from './event.js';
import { EVENT_TYPES, schemaText } from './schemas.js';
import { UndecodableError } from './undecodable-error.js';

const codec = createCodec({ ids: sampleIds, schemaById: () => Promise.reject(new Error('unknown')) });
const wire = (type: EventType) => codec.encode(sampleEvents[type]);

/** An event, or UndecodableError: anything else would stop a consumer instead of filling the dead letters. */
async function decodeOr(value: Buffer): Promise<PalimpsestEvent | UndecodableError> {
  try {
    return await codec.decode(value);
  } catch (error) {
    expect(error).toBeInstanceOf(UndecodableError);
    return error as UndecodableError;
  }
}

describe('broken bytes', () => {
  it.each([
    ['empty', Buffer.alloc(0)],
    ['shorter than a schema id', Buffer.from([0, 0, 0, 1])],
    ['a schema id alone', Buffer.from([0, 0, 0, 0, 1])],
    ['JSON', Buffer.from('{"type":"message"}')],
    ['of another magic byte', Buffer.concat([Buffer.from([1]), wire('pin').subarray(1)])],
    ['of an unknown schema', Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0])],
    ['followed by more', Buffer.concat([wire('pin'), Buffer.from([0])])],
  ])('that are %s are undecodable', async (_, value) => {
    expect(await decodeOr(value)).toBeInstanceOf(UndecodableError);
  });

  it.each(EVENT_TYPES)('of %s cut anywhere are undecodable', async (type) => {
    const value = wire(type);
    for (let length = 0; length < value.length; length += 1) {
      expect(await decodeOr(value.subarray(0, length))).toBeInstanceOf(UndecodableError);
    }
  });

  it('never give another error', async () => {
    const garbage = fc
      .tuple(fc.constantFrom(...sampleIds.values()), fc.uint8Array({ maxLength: 200 }))
      .map(([id, body]) => Buffer.concat([Buffer.from([0, 0, 0, 0, id]), body]));
    const damaged = fc
      .tuple(fc.constantFrom(...EVENT_TYPES), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
      .map(([type, changes]) => {
        const value = Buffer.from(wire(type));
        for (const [place, byte] of changes) value[5 + (place % (value.length - 5))] = byte;
        return value;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(garbage, damaged), async (value) => {
        await decodeOr(value);
      }),
      { seed: 20260103, numRuns: 2000 },
    );
  });

  // Without the bound in avro-types.ts these run out of memory or never end.
  it.each([
    ['2^31 - 1', 2 ** 31 - 1],
    ['2^40', 2 ** 40],
    ['-(2^50), by block size', -(2 ** 50)],
  ])('that claim a list of %s items are undecodable at once', async (_, count) => {
    const claim = parseSchema('"long"').toBuffer(count);
    for (const type of ['message', 'state_patch', 'facts_made'] as const) {
      const event = { ...sampleEvents[type], content: [], source_ids: [], facts: [] };
      const value = codec.encode(event as PalimpsestEvent); // ends with the empty list's 0
      const bomb = Buffer.concat([value.subarray(0, -1), claim, Buffer.alloc(20)]);
      expect(await decodeOr(bomb)).toMatchObject({
        message: expect.stringContaining('items in') as string,
      });
    }
  });

  it.each([
    ['a list', { type: 'array', items: 'null' }, [2 ** 40, 0]],
    ['a map', { type: 'map', values: 'long' }, [2 ** 40, 0]],
    ['a list that runs backwards', { type: 'array', items: 'null' }, [-1, -12]],
    ['a map that runs backwards', { type: 'map', values: 'long' }, [1, -12]],
  ])('that claim %s without end, in a field that is passed over, are undecodable', async (_, type, longs) => {
    const schema = JSON.parse(schemaText('phase')) as { fields: object[] };
    schema.fields.unshift({ name: 'extra', type });
    const reader = createCodec({ ids: new Map(), schemaById: async () => JSON.stringify(schema) });
    const long = parseSchema('"long"');
    const bomb = Buffer.concat([
      wire('phase').subarray(0, 5),
      ...longs.map((value) => long.toBuffer(value)),
      wire('phase').subarray(5),
    ]);
    await expect(Promise.resolve(reader.decode(bomb))).rejects.toThrow(UndecodableError);
  });
});

describe('values that no store could take', () => {
  it.each<[string, EventType, object]>([
    ['occurred_at', 'message', { occurred_at: 2n ** 53n }],
    ['occurred_at', 'message', { occurred_at: -1 }],
    ['occurred_at', 'message', { occurred_at: 253_402_300_800_000 }],
    ['step_index', 'step', { step_index: 2n ** 60n }],
    ['generation', 'step', { generation: -(2n ** 60n) }],
    ['usage.input', 'step', { usage: { input: 2n ** 53n, output: 0 } }],
    ['usage.reasoning', 'summary_made', { usage: { input: 0, output: 0, reasoning: 2n ** 62n } }],
    ['facts.valid_from', 'facts_made', { facts: [fact({ valid_from: 2n ** 55n })] }],
    ['facts.valid_until', 'facts_made', { facts: [fact({}), fact({ valid_until: 2 ** 53 - 1 })] }],
    ['event_id', 'pin', { event_id: '55' }],
    ['event_id', 'pin', { event_id: ' 0198f3a0-7c1e-7d3a-9b1e-2f6a5c4d3e21' }],
    ['message_id', 'pin', { message_id: '' }],
    ['tenant', 'pin', { tenant: '' }],
    ['tenant', 'pin', { tenant: 'a\0' }],
    ['conversation_id', 'phase', { conversation_id: '' }],
    ['conversation_id', 'phase', { conversation_id: '\0' }],
    ['conversation_id', 'phase', { conversation_id: 'я'.repeat(1300) }],
    ['task_id', 'task_started', { task_id: 'a\0b' }],
    ['client_id', 'phase', { client_id: '\0' }],
    ['agent', 'phase', { agent: '\0' }],
  ])('name the field %s of %s', async (field, type, wrong) => {
    const value = codec.encode({ ...sampleEvents[type], ...wrong } as PalimpsestEvent);
    const error = (await decodeOr(value)) as UndecodableError;
    expect(error).toBeInstanceOf(UndecodableError);
    expect(error.message).toMatch(new RegExp(`^Fields? .*\\b${field.replace('.', '\\.')}\\b`));
  });

  it('are not the widest seq, the longest ids that the API takes, or a UUID in capitals', () => {
    const event = {
      ...sampleEvents.pin,
      event_id: sampleEvents.pin.event_id.toUpperCase(),
      conversation_id: 'я'.repeat(512),
      seq: -(2n ** 63n),
    } as PalimpsestEvent;
    expect(codec.decode(codec.encode(event))).toEqual({ ...event, event_id: sampleEvents.pin.event_id });
  });
});

function fact(times: object): object {
  const [first] = (sampleEvents.facts_made as { facts: object[] }).facts;
  return { ...first, ...times };
}

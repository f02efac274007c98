import { describe, expect, it } from 'vitest';
import { sampleEvents, sampleIds } from '../test/sample-events.js';
import { parseSchema } from './avro-types.js';
import { createCodec } from './codec.js';
import type { EventType, PalimpsestEvent } from './event.js';
import { EVENT_TYPES, schemaText } from './schemas.js';
import { UndecodableError } from './undecodable-error.js';

interface Field {
  name: string;
  type: unknown;
  default?: unknown;
}
interface RecordSchema {
  name: string;
  fields: Field[];
}

const WRITER_ID = 4711;
const schemaOf = (type: EventType) => JSON.parse(schemaText(type)) as RecordSchema;

/** What this build reads of a value that was written with another schema. */
async function readFrom(writer: object, fields: object): Promise<PalimpsestEvent> {
  const text = JSON.stringify(writer);
  const head = Buffer.from([0, 0, 0, WRITER_ID >> 8, WRITER_ID & 0xff]);
  const value = Buffer.concat([head, parseSchema(text).toBuffer(fields)]);
  return createCodec({ ids: sampleIds, schemaById: async () => text }).decode(value);
}

const optionalFields = EVENT_TYPES.flatMap((type) =>
  schemaOf(type)
    .fields.filter((field) => field.default !== undefined)
    .map((field) => ({ type, name: field.name, fallback: field.default })),
);

describe('bytes of an older schema', () => {
  it.each(optionalFields)('read $type without $name as its default', async ({ type, name, fallback }) => {
    const writer = schemaOf(type);
    writer.fields = writer.fields.filter((field) => field.name !== name);
    const event = await readFrom(writer, sampleEvents[type]);
    expect(event).toEqual({ ...sampleEvents[type], [name]: fallback });
  });
});

const additions: Field[] = [
  { name: 'mood', type: ['null', 'string'], default: null },
  { name: 'score', type: 'double', default: 0 },
  { name: 'more', type: { type: 'map', values: { type: 'array', items: 'long' } }, default: {} },
];

describe('bytes of a newer schema', () => {
  const added = { mood: 'fine', score: 0.5, more: { a: [1, 2], b: [] } };

  it.each(EVENT_TYPES)('read %s without the fields that this build does not know', async (type) => {
    const atEnd = schemaOf(type);
    atEnd.fields.push(...additions);
    expect(await readFrom(atEnd, { ...sampleEvents[type], ...added })).toEqual(sampleEvents[type]);
    const inFront = schemaOf(type);
    inFront.fields.unshift(...additions);
    expect(await readFrom(inFront, { ...sampleEvents[type], ...added })).toEqual(sampleEvents[type]);
  });

  it('read a required text that became one that may be null', async () => {
    const writer = schemaOf('tool_call');
    const field = writer.fields.find(({ name }) => name === 'step_id') as Field;
    field.type = 'string';
    delete field.default;
    const event = { ...sampleEvents.tool_call, step_id: 's1' };
    expect(await readFrom(writer, event)).toEqual(event);
  });

  it('read an int where a long is wanted', async () => {
    const writer = schemaOf('step');
    const field = writer.fields.find(({ name }) => name === 'step_index') as Field;
    field.type = 'int';
    expect(await readFrom(writer, sampleEvents.step)).toEqual(sampleEvents.step);
  });

  it.each([
    ['message', 'role', 'unknown'],
    ['task_finished', 'outcome', 'unknown'],
    ['step', 'usage_semantics', 'unknown'],
    ['step', 'purpose', 'answer'],
  ] as const)('read a new symbol of %s.%s as %s', async (type, name, fallback) => {
    const writer = schemaOf(type);
    const field = writer.fields.find((each) => each.name === name) as Field;
    addSymbol(field.type);
    const event = await readFrom(writer, { ...sampleEvents[type], [name]: 'brand_new' });
    expect(event).toEqual({ ...sampleEvents[type], [name]: fallback });
  });

  it('read a new kind of part as unknown, its text kept', async () => {
    const writer = schemaOf('message');
    addSymbol(writer.fields.find(({ name }) => name === 'content')?.type);
    const part = { kind: 'brand_new', text: 'hm', mime: null, data: null, url: null, signature: null };
    const event = await readFrom(writer, { ...sampleEvents.message, content: [part] });
    expect(event).toEqual({ ...sampleEvents.message, content: [{ ...part, kind: 'unknown' }] });
  });

  it('read a new actor of a fact as unknown', async () => {
    const writer = schemaOf('facts_made');
    addSymbol(writer.fields.find(({ name }) => name === 'facts')?.type);
    const [fact] = (sampleEvents.facts_made as { facts: object[] }).facts;
    const event = await readFrom(writer, {
      ...sampleEvents.facts_made,
      facts: [{ ...fact, actor: 'brand_new' }],
    });
    expect(event).toMatchObject({ facts: [{ actor: 'unknown', subject: 'home' }] });
  });

  it('are refused where the record is none of ours', async () => {
    const writer = { ...schemaOf('phase'), name: 'Mood' };
    await expect(readFrom(writer, sampleEvents.phase)).rejects.toThrow(UndecodableError);
    await expect(readFrom(writer, sampleEvents.phase)).rejects.toThrow(/palimpsest\.Mood/);
  });

  it('are refused where a field that must be there is gone', async () => {
    const writer = schemaOf('phase');
    writer.fields = writer.fields.filter(({ name }) => name !== 'conversation_id');
    await expect(readFrom(writer, sampleEvents.phase)).rejects.toThrow(UndecodableError);
    await expect(readFrom(writer, sampleEvents.phase)).rejects.toThrow(/conversation_id/);
  });
});

/** Adds a symbol, in front, to the enum found first in a type: every index of the writer differs from ours. */
function addSymbol(type: unknown): boolean {
  if (type === null || typeof type !== 'object') return false;
  const { symbols, items, fields } = type as { symbols?: string[]; items?: unknown; fields?: Field[] };
  if (symbols !== undefined) {
    symbols.unshift('brand_new');
    return true;
  }
  const inner = Array.isArray(type) ? type : [items, ...(fields ?? []).map((field) => field.type)];
  return inner.some(addSymbol);
}

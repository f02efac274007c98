import { readdirSync } from 'node:fs';
import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, recordName, schemaText, subjectOf } from './schemas.js';

interface Field {
  name: string;
  type: unknown;
  default?: unknown;
}
interface Named {
  type: string;
  name: string;
  namespace?: string;
  doc?: string;
  default?: string;
  fields?: Field[];
}

/** Every record and enum that a schema defines, itself first. */
function namedTypes(type: unknown): Named[] {
  if (Array.isArray(type)) return type.flatMap(namedTypes);
  if (type === null || typeof type !== 'object') return [];
  const { items, values } = type as { items?: unknown; values?: unknown };
  const named = 'name' in type ? [type as Named] : [];
  const fields = (type as Named).fields ?? [];
  return [
    ...named,
    ...namedTypes(items),
    ...namedTypes(values),
    ...fields.flatMap((f) => namedTypes(f.type)),
  ];
}

describe.each(EVENT_TYPES)('the schema of %s', (type) => {
  const schema = JSON.parse(schemaText(type)) as Named;

  it('is one record of our namespace, no union, and plain Avro', () => {
    expect(Array.isArray(schema)).toBe(false);
    expect(schema).toMatchObject({ type: 'record', namespace: 'palimpsest' });
    expect(avro.Type.forSchema(schema as avro.Schema).name).toBe(recordName(type));
  });

  it('says what each record and enum is', () => {
    for (const named of namedTypes(schema)) expect([named.name, named.doc]).toEqual([named.name, anyText]);
  });

  it('lets every field that may be null be left out, null first', () => {
    for (const { fields } of namedTypes(schema)) {
      for (const field of fields ?? []) {
        if (!Array.isArray(field.type)) continue;
        expect([field.name, field.type[0], field.default]).toEqual([field.name, 'null', null]);
      }
    }
  });

  it('has a default for a symbol that a later version adds', () => {
    for (const named of namedTypes(schema)) {
      if (named.type === 'enum') expect([named.name, named.default]).toEqual([named.name, anyText]);
    }
  });
});

const anyText = expect.stringMatching(/./) as string;

describe('the schemas together', () => {
  it('are one file per event type, and no other file', () => {
    const files = readdirSync(new URL('../../../schemas/avro', import.meta.url)).toSorted();
    expect(files).toEqual(EVENT_TYPES.map((type) => `${type.replaceAll('_', '-')}.avsc`).toSorted());
  });

  it('mean one thing by one name', () => {
    const seen = new Map<string, string>();
    for (const type of EVENT_TYPES) {
      for (const named of namedTypes(JSON.parse(schemaText(type)))) {
        const text = JSON.stringify(named);
        expect(text).toBe(seen.get(named.name) ?? text);
        seen.set(named.name, text);
      }
    }
  });

  it('have subjects of their own', () => {
    expect(new Set(EVENT_TYPES.map(subjectOf)).size).toBe(EVENT_TYPES.length);
    expect(subjectOf('tool_call')).toBe('chat.messages-palimpsest.ToolCall');
  });
});

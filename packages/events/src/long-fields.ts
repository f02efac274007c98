/** Where a record schema has longs: its own fields, and those of records inside (also in lists of records). */
export interface LongFields {
  own: string[];
  nested: [field: string, inner: LongFields][];
}

/** The long fields of an Avro record schema, read from its text. */
export function longFields(schemaText: string): LongFields {
  return fieldsOf(JSON.parse(schemaText) as RecordSchema);
}

interface RecordSchema {
  fields: { name: string; type: unknown }[];
}

function fieldsOf(schema: RecordSchema): LongFields {
  const found: LongFields = { own: [], nested: [] };
  for (const { name, type } of schema.fields) {
    const branches: unknown[] = Array.isArray(type) ? type : [type];
    if (branches.includes('long')) found.own.push(name);
    for (const branch of branches) {
      const record = recordOf(branch);
      if (record === undefined) continue;
      const inner = fieldsOf(record);
      if (inner.own.length > 0 || inner.nested.length > 0) found.nested.push([name, inner]);
    }
  }
  return found;
}

/** The record that a field's type is, or is a list of. */
function recordOf(type: unknown): RecordSchema | undefined {
  if (type === null || typeof type !== 'object') return undefined;
  const { type: kind, items } = type as { type: unknown; items?: unknown };
  if (kind === 'record') return type as RecordSchema;
  return kind === 'array' ? recordOf(items) : undefined;
}

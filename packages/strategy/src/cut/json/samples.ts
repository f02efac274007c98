import type { Samples } from '../samples.js';

const order = (id: number) => ({
  id,
  status: id % 3 === 0 ? 'packed' : 'sent',
  total: 12.5 * id,
  note: null,
  customer: { name: `Customer ${id}`, email: `c${id}@example.org` },
  lines: [{ sku: `SKU-${id}`, quantity: 2 }],
});

export const samples: Samples = {
  natural: {
    'an answer of an API': JSON.stringify({
      data: Array.from({ length: 80 }, (_, at) => order(at + 1)),
      next: null,
    }),
    NDJSON: Array.from({ length: 80 }, (_, at) => JSON.stringify(order(at + 1))).join('\n'),
    'big integers': `[${Array.from({ length: 200 }, (_, at) => `9007199254740993${at}`).join(', ')}]`,
    'one giant string': JSON.stringify({ id: 7, body: 'Long text of a mail. '.repeat(300) }),
    indented: JSON.stringify(
      Array.from({ length: 60 }, (_, at) => order(at)),
      null,
      2,
    ),
    'a patch inside': JSON.stringify({
      file: 'a.ts',
      patch: `@@ -1,2 +1,2 @@\n${'-old line\n+new line\n'.repeat(200)}`,
    }),
    'a wide object': JSON.stringify(
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key_${at}`, at])),
    ),
  },
  parts: [
    '{"a":1}',
    '{"b":[1,2,{"c":null}]}',
    '[',
    '{"broken',
    '"…"',
    '{"…":"3 more keys"}',
    '[[]]',
    '{"x":"\\ud83d\\udc4d"}',
    '1e400',
    '"ab',
  ],
  between: '\n',
  hostile: {
    'nested arrays': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
    'nested objects': (size) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
    'unclosed objects': (size) => '{"a":['.repeat(size / 6),
    'one string': (size) => JSON.stringify({ s: 'ab "\n'.repeat(size / 5) }),
    'a string of base64': (size) => JSON.stringify({ s: 'Zx9+aB3/'.repeat(size / 8) }),
    'broken lines': (size) => '{"a":1}\n{"a":[\n'.repeat(size / 15),
    'one key again and again': (size) => `{${'"a":1,'.repeat(size / 6)}"a":2}`,
    numbers: (size) => `[${'123456789,'.repeat(size / 10)}0]`,
    'empty members': (size) => `{${Array.from({ length: size / 12 }, (_, at) => `"${at}":null`).join(',')}}`,
  },
  fault(rendition) {
    try {
      JSON.parse(rendition);
      return null;
    } catch {
      // A sequence of documents, one a line.
    }
    for (const line of rendition.split('\n')) {
      try {
        JSON.parse(line);
      } catch (error) {
        return (error as Error).message;
      }
    }
    return null;
  },
};

import { describe, expect, it } from 'vitest';
import { artifactTools, runArtifactTool } from './artifact-tools.js';
import type { Client } from './client.js';
import { PalimpsestError } from './palimpsest-error.js';
import { pathsOfSchema } from './paths-of-schema.js';

const about = { id: 'a1', conversation_id: 'c', mime: 'application/json' };
const asked: unknown[][] = [];
const client: Pick<Client, 'head' | 'lines' | 'grep' | 'fields'> = {
  head: (...args) => {
    asked.push(args);
    return Promise.resolve({ ...about, from: 1, to: 2, total_lines: 9, truncated: false, content: 'x\ny' });
  },
  lines: (...args) => {
    asked.push(args);
    return Promise.resolve({ ...about, from: 3, to: 4, total_lines: 9, truncated: true, content: 'z' });
  },
  grep: (id, pattern, options) => {
    asked.push([id, pattern, options]);
    if (pattern === '(') {
      return Promise.reject(new PalimpsestError('?pattern is no pattern of RE2', 400, null));
    }
    const matches = pattern === 'none' ? [] : [{ line: 7, column: 1, text: 'ERROR' }];
    return Promise.resolve({
      ...about,
      matches,
      total_lines: 9,
      truncated: true,
      ended_by: 'time',
      next_from: 8,
    });
  },
  fields: (id, paths) => {
    asked.push([id, paths]);
    return Promise.resolve({
      ...about,
      fields: [
        {
          path: 'a',
          total: 3,
          values: [
            { path: '$.a', text: '9007199254740993' },
            { path: '$.b', omitted: 'large' },
          ],
        },
        { path: 'c', total: 0, values: [] },
      ],
    });
  },
};

async function run(name: string, input: object): Promise<string> {
  return (await runArtifactTool(client, name, { id: 'a1', ...input })).content;
}

describe('artifact tools', () => {
  it('declare what the context names, each with its required inputs', () => {
    expect(artifactTools.map(({ name, schema }) => [name, schema['required']])).toEqual([
      ['head', ['id']],
      ['read_lines', ['id', 'from', 'to']],
      ['grep_artifact', ['id', 'pattern']],
      ['extract_fields', ['id']],
    ]);
  });

  it('answer as text that a model reads, numbers as written', async () => {
    expect(await run('head', {})).toBe('[lines 1 to 2 of 9]\nx\ny');
    expect(await run('read_lines', { from: 3, to: 9 })).toBe('[lines 3 to 4, shortened of 9]\nz');
    expect(await run('grep_artifact', { pattern: 'ERROR' })).toBe(
      '7: ERROR\n[… ended early: go on with "from": 8]',
    );
    expect(await run('extract_fields', { paths: ['a', 'c'] })).toBe(
      '$.a = 9007199254740993\n$.b = [… large]\n[… 1 more of a]\nc: nothing there',
    );
  });

  it('take a JSON Schema for paths', async () => {
    await runArtifactTool(client, 'extract_fields', { id: 'a1', schema: { properties: { total: {} } } });
    expect(asked.at(-1)).toEqual(['a1', ['$["total"]']]);
  });

  it.each([
    ['grep_artifact', { id: 'a1', pattern: '(' }, 'RE2'],
    ['grep_artifact', { pattern: 'x' }, '"id"'],
    ['read_lines', { id: 'a1', from: 'x', to: 2 }, '"from"'],
    ['extract_fields', { id: 'a1' }, '"paths"'],
    ['rm', { id: 'a1' }, 'grep_artifact'],
  ])('say to the model what is wrong with %s %j', async (name, input, said) => {
    const { content, isError } = await runArtifactTool(client, name, input);
    expect(isError).toBe(true);
    expect(content).toContain(said);
  });

  it('throw what the model cannot mend', async () => {
    const down = { ...client, head: () => Promise.reject(new PalimpsestError('no answer', 0, null)) };
    await expect(runArtifactTool(down, 'head', { id: 'a1' })).rejects.toThrow('no answer');
  });
});

describe('pathsOfSchema', () => {
  it('goes down to fields without fields of their own', () => {
    const schema = {
      type: 'object',
      properties: {
        orders: {
          type: 'array',
          items: { properties: { id: { type: 'string' }, lines: { items: { properties: { sku: {} } } } } },
        },
        tags: { type: 'array', items: { type: 'string' } },
      },
    };
    expect(pathsOfSchema(schema)).toEqual([
      '$["orders"][*]["id"]',
      '$["orders"][*]["lines"][*]["sku"]',
      '$["tags"][*]',
    ]);
  });

  it('ends on a schema that holds itself', () => {
    const schema: { properties: Record<string, unknown> } = { properties: {} };
    schema.properties['a'] = schema;
    schema.properties['b'] = schema;
    expect(pathsOfSchema(schema).length).toBeLessThanOrEqual(20);
    expect(pathsOfSchema('x')).toEqual([]);
  });
});

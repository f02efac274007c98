import type { Client } from './client.js';
import { PalimpsestError } from './palimpsest-error.js';
import { pathsOfSchema } from './paths-of-schema.js';

/** A tool as the providers want it declared: `input_schema` of Anthropic, `parameters` of OpenAI. */
export interface ArtifactTool {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

/** What goes back to the model as the tool's result. */
export interface ToolAnswer {
  content: string;
  isError: boolean;
}

const ID = {
  type: 'string',
  description: 'The id after "artifact" in a note such as [… full text: artifact ID].',
};
const line = (description: string) => ({ type: 'integer', minimum: 1, description });

function tool(
  name: string,
  description: string,
  properties: object,
  required: readonly string[],
): ArtifactTool {
  const schema = { type: 'object', properties: { id: ID, ...properties }, required: ['id', ...required] };
  return { name, description, schema: { ...schema, additionalProperties: false } };
}

/**
 * Declarations of the tools by which an agent reads what its context shows cut. In one fixed order, so that they do not
 * break a cached prefix.
 */
export const artifactTools: readonly ArtifactTool[] = [
  tool(
    'head',
    'The first lines of an original that the context shows cut.',
    { lines: line('How many; 20 unless given.') },
    [],
  ),
  tool(
    'read_lines',
    'A stretch of lines of an original.',
    { from: line('First line, from 1.'), to: line('Last line, inclusive.') },
    ['from', 'to'],
  ),
  tool(
    'grep_artifact',
    'The lines of an original that match a regular expression, with their numbers.',
    {
      pattern: { type: 'string', description: 'RE2 syntax, no look-around; (?i) ignores case.' },
      from: line('First line searched; to go on after a search that ended early.'),
    },
    ['pattern'],
  ),
  tool(
    'extract_fields',
    'Values out of an original that is JSON, by paths or by a JSON Schema of what is wanted.',
    {
      paths: {
        type: 'array',
        items: { type: 'string' },
        description: 'Such as $.orders[0].total, orders[*].id, $..email',
      },
      schema: { type: 'object', description: 'Its properties are the fields wanted.' },
    },
    [],
  ),
];

/**
 * Carries out a call of one of `artifactTools` and answers as text for the model. A call that the model can mend (an id
 * that is not there, a pattern that is wrong) is an answer with `isError`; that the server cannot be reached is thrown.
 */
export async function runArtifactTool(
  client: Pick<Client, 'head' | 'lines' | 'grep' | 'fields'>,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  try {
    return { content: await run(client, name, input), isError: false };
  } catch (error) {
    const isTheirs =
      error instanceof PalimpsestError
        ? error.status >= 400 && error.status < 500
        : error instanceof InputError;
    if (!isTheirs) throw error;
    return { content: (error as Error).message, isError: true };
  }
}

class InputError extends Error {}

async function run(
  client: Pick<Client, 'head' | 'lines' | 'grep' | 'fields'>,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const id = input['id'];
  if (typeof id !== 'string' || id === '') throw new InputError('Give "id": the id of an artifact.');
  switch (name) {
    case 'head':
      return asLines(await client.head(id, numberIn(input, 'lines')));
    case 'read_lines':
      return asLines(await client.lines(id, numberIn(input, 'from') ?? 1, numberIn(input, 'to') ?? 1));
    case 'grep_artifact': {
      const from = numberIn(input, 'from');
      const found = await client.grep(id, String(input['pattern'] ?? ''), from === undefined ? {} : { from });
      const lines = found.matches.map((match) => `${match.line}: ${match.text}`);
      if (found.next_from !== undefined) lines.push(`[… ended early: go on with "from": ${found.next_from}]`);
      return lines.length > 0 ? lines.join('\n') : `No line of ${found.total_lines} matches.`;
    }
    case 'extract_fields': {
      const { fields } = await client.fields(id, pathsIn(input));
      return fields.map(asField).join('\n');
    }
    default:
      throw new InputError(`There is no tool "${name}": ${artifactTools.map((one) => one.name).join(', ')}.`);
  }
}

function asLines(read: {
  from: number;
  to: number;
  total_lines: number;
  truncated: boolean;
  content: string;
}): string {
  const end = read.truncated ? `${read.to}, shortened` : read.to;
  return `[lines ${read.from} to ${end} of ${read.total_lines}]\n${read.content}`;
}

function asField(field: {
  path: string;
  total: number;
  values: { path: string; text?: string; omitted?: string }[];
}) {
  if (field.total === 0) return `${field.path}: nothing there`;
  const lines = field.values.map((value) => `${value.path} = ${value.text ?? `[… ${value.omitted}]`}`);
  if (field.total > lines.length) lines.push(`[… ${field.total - lines.length} more of ${field.path}]`);
  return lines.join('\n');
}

function numberIn(input: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InputError(`"${name}" must be a whole number from 1.`);
  return number;
}

function pathsIn(input: Readonly<Record<string, unknown>>): string[] {
  const { paths, schema } = input;
  if (Array.isArray(paths) && paths.length > 0) return paths.map(String);
  if (typeof paths === 'string' && paths !== '') return [paths];
  const wanted = pathsOfSchema(schema);
  if (wanted.length === 0) throw new InputError('Give "paths", or a "schema" with properties.');
  return wanted;
}

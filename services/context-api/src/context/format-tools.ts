import { parseJson } from '@palimpsest/events';
import { isPlainObject, type SentTool, wellFormed } from '@palimpsest/strategy';
import type { ContextFormat } from '../context-reader.js';

/** Tools in the form that the provider takes them in; for `text` and `ai-sdk` with their schema as `inputSchema`. */
export function formatTools(tools: readonly SentTool[], format: ContextFormat): object[] {
  return tools.map(({ name, description, schema }) => {
    const parameters = schemaOf(schema);
    switch (format) {
      case 'openai':
        return { type: 'function', function: { name, description, parameters } };
      case 'anthropic':
        return { name: anthropicToolName(name), description, input_schema: withType(parameters) };
      default:
        return { name, description, inputSchema: parameters };
    }
  });
}

/** The name that a call of the tool has in Anthropic's format. */
function anthropicToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) || 'tool';
}

function schemaOf(text: string): Record<string, unknown> {
  return storable(parseJson(text)) as Record<string, unknown>;
}

/** Anthropic takes schemas of objects only, and wants to be told so. */
function withType(schema: Record<string, unknown>): Record<string, unknown> {
  return schema['type'] === 'object' ? schema : { type: 'object', ...schema };
}

/** Escaped lone surrogates become whole, numbers those that JSON knows. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  // A number that a double cannot give back is an object of its own class.
  if (!isPlainObject(value)) return Number(String(value));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [wellFormed(name), storable(part)]));
}

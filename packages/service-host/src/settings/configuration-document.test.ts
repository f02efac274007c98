import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installationRoot } from '../installation.js';
import { MODEL_VARIABLES } from './model-variables.js';
import type { Variable, Variables } from './read-variables.js';
import {
  API_VARIABLES,
  BATCH_VARIABLES,
  CLICKHOUSE_VARIABLES,
  EMBEDDED_LEDGER_VARIABLES,
  KAFKA_VARIABLES,
  OBJECT_VARIABLES,
  REGISTRY_VARIABLES,
  SERVICE_VARIABLES,
} from './variables.js';

const READERS: readonly [Variables, readonly string[]][] = [
  [KAFKA_VARIABLES, ['every service', '`topics`']],
  [REGISTRY_VARIABLES, ['every service', '`schemas`']],
  [SERVICE_VARIABLES, ['every service']],
  [BATCH_VARIABLES, ['truncator', 'metrics-sink']],
  [OBJECT_VARIABLES, ['truncator', 'context-api']],
  [MODEL_VARIABLES, ['summarizer', 'fact-extractor']],
  [CLICKHOUSE_VARIABLES, ['metrics-sink', 'context-api']],
  [EMBEDDED_LEDGER_VARIABLES, ['metrics-sink']],
  [API_VARIABLES, ['context-api']],
];

function rows(): string[] {
  const readers = new Map<string, Set<string>>();
  const variables = new Map<string, Variable<unknown>>();
  for (const [group, names] of READERS) {
    for (const variable of Object.values(group)) {
      variables.set(variable.name, variable);
      const known = readers.get(variable.name) ?? new Set();
      for (const name of names) known.add(name);
      readers.set(variable.name, known);
    }
  }
  return [...variables.values()].map((variable) => {
    const { name, decides, wants } = variable;
    const by = [...(readers.get(name) ?? [])].join(', ');
    return `| \`${name}\` | ${by} | ${defaultOf(variable)} | ${decides} (${wants}) |`;
  });
}

function defaultOf(variable: Variable<unknown>): string {
  if (!('fallback' in variable)) return '**required**';
  const { fallback } = variable;
  return fallback === null || fallback === '' ? 'none' : `\`${String(fallback)}\``;
}

it('docs/configuration.md has exactly the variables that services read', () => {
  const text = readFileSync(join(installationRoot(), 'docs', 'configuration.md'), 'utf8');
  expect(text.split('\n').filter((line) => line.startsWith('| `PALIMPSEST_'))).toEqual(rows());
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '@palimpsest/service-host';
import { parseStrategy, type Strategy, StrategyFileError } from '@palimpsest/strategy';
import Table from 'cli-table3';
import { CommandError, type Output } from '../output.js';

/** `palimpsest strategies list`: the presets that come with this build. */
export function listStrategiesCommand(output: Output): void {
  const presets = presetNames().map((name) => readStrategy(name));
  const table = new Table({
    head: ['strategy', 'budget', 'what it does'],
    colWidths: [30, 9, 80],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { label, settings } of presets) {
    table.push([label, settings.budget.default.toLocaleString('en'), settings.description]);
  }
  output.line(table.toString());
  output.value(
    presets.map(({ settings, version, label }) => ({
      name: settings.name,
      version,
      label,
      budget: settings.budget.default,
      description: settings.description,
    })),
  );
}

/** `palimpsest strategies show`: a preset or a file with all defaults written out. */
export function showStrategyCommand(name: string, output: Output): void {
  const { label, settings, canonical } = readStrategy(name);
  output.line(`# ${label}`);
  for (const line of asLines(settings, '')) output.line(line);
  output.value({ label, settings: JSON.parse(canonical) as unknown });
}

/** `palimpsest strategies check`: fails with a line per problem, each with its file, line, field and remedy. */
export function checkStrategyCommand(file: string, output: Output): void {
  const { label } = readStrategy(file);
  output.line(`${file}: ${label}, nothing to mend.`);
  output.value({ file, label, ok: true });
}

/** The strategy of a preset's name, or of a file. */
export function readStrategy(name: string): Strategy {
  const isPreset = presetNames().includes(name);
  const file = isPreset ? join(installationRoot(), 'strategies', `${name}.yaml`) : name;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(
      `${file} cannot be read: name a file, or one of the presets ${presetNames().join(', ')}.`,
      { cause },
    );
  }
  try {
    return parseStrategy(text, isPreset ? `strategies/${name}.yaml` : name);
  } catch (error) {
    if (error instanceof StrategyFileError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

function presetNames(): string[] {
  return readdirSync(join(installationRoot(), 'strategies'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .toSorted();
}

/** Settings as YAML, which reads back as the same strategy. */
function asLines(value: object, indent: string): string[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
    typeof part === 'object' && part !== null
      ? [`${indent}${name}:`, ...asLines(part, `${indent}  `)]
      : [`${indent}${name}: ${typeof part === 'string' ? JSON.stringify(part) : String(part)}`],
  );
}

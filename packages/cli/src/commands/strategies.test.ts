import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseStrategy } from '@palimpsest/strategy';
import { afterAll, describe, expect, it } from 'vitest';
import { CommandError, type Output } from '../output.js';
import {
  checkStrategyCommand,
  listStrategiesCommand,
  readStrategy,
  showStrategyCommand,
} from './strategies.js';

const folder = mkdtempSync(join(tmpdir(), 'strategies-'));
afterAll(() => rmSync(folder, { recursive: true }));

function recorder(): Output & { lines: string[]; values: unknown[] } {
  const lines: string[] = [];
  const values: unknown[] = [];
  return {
    json: false,
    lines,
    values,
    line: (text) => void lines.push(text),
    value: (value) => void values.push(value),
    progress: () => undefined,
  };
}

describe('palimpsest strategies', () => {
  it('lists all presets with what they do', () => {
    const output = recorder();
    listStrategiesCommand(output);
    const names = (output.values[0] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual([
      'adaptive',
      'budgeted-slots',
      'default',
      'secretary',
      'sliding-window',
      'three-tier',
    ]);
    expect(output.lines.join('\n')).toContain('A budget per part of the call');
  });

  it('shows a preset as YAML that reads back as the same strategy', () => {
    for (const name of [
      'adaptive',
      'budgeted-slots',
      'default',
      'secretary',
      'sliding-window',
      'three-tier',
    ]) {
      const output = recorder();
      showStrategyCommand(name, output);
      expect(parseStrategy(output.lines.join('\n'), name)).toEqual(readStrategy(name));
    }
  });

  it('checks a file: each problem with its line, field and remedy', () => {
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, 'name: mine\nwindow:\n  messages: 0\nslotts: {}\n');
    expect(() => checkStrategyCommand(file, recorder())).toThrow(CommandError);
    expect(() => checkStrategyCommand(file, recorder())).toThrow(/mine\.yaml:3: window\.messages: /);
    expect(() => checkStrategyCommand(file, recorder())).toThrow(/mine\.yaml:4: slotts: is not a setting/);
    writeFileSync(file, 'name: mine\n');
    const output = recorder();
    checkStrategyCommand(file, output);
    expect(output.values).toEqual([{ file, label: expect.stringMatching(/^mine@/) as string, ok: true }]);
  });

  it('says which presets there are where a name is none', () => {
    expect(() => readStrategy('nowhere')).toThrow(/nowhere cannot be read: .*adaptive, budgeted-slots/);
  });
});

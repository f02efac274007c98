import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildCommandLine, finishCommand, runCommand } from '../harness/command-line.js';

let folder: string;
beforeAll(() => {
  buildCommandLine();
  folder = mkdtempSync(path.join(tmpdir(), 'palimpsest-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const data = (): string => path.join(folder, 'data');

describe('the command line', () => {
  it.each([
    ['an unknown command', ['nonsense']],
    ['an unknown option', ['start', '--twice']],
    ['an unknown format', ['import', 'csv', 'x.csv']],
    ['no file', ['import', 'events']],
    ['a budget that is no number', ['context', 'c', '--budget', 'many']],
  ])('exits with 2 and says why when called with %s', async (_, args) => {
    const command = runCommand(args);
    expect((await command.ended).code).toBe(2);
    expect(command.stderr()).toMatch(/error: .+/);
    expect(command.stdout()).toBe('');
  });

  it('explains every command', async () => {
    for (const name of ['start', 'import', 'context', 'sql', 'doctor']) {
      expect(await finishCommand([name, '--help'])).toContain(`Usage: palimpsest ${name}`);
    }
  });

  it('exits with 1 and names the file when it cannot be read', async () => {
    const command = runCommand(['import', 'openai', path.join(folder, 'missing.json'), '--data', data()]);
    expect((await command.ended).code).toBe(1);
    expect(command.stderr()).toContain('missing.json');
  });

  it('imports a chat, shows its context and asks the ledger, as JSON', async () => {
    const file = path.join(folder, 'chat.json');
    writeFileSync(
      file,
      JSON.stringify({
        messages: [
          { role: 'system', content: 'You help.' },
          { role: 'user', content: 'Погода у Львові?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'w', type: 'function', function: { name: 'weather', arguments: '{"city":"Львів"}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'w', content: '18 °C' },
        ],
      }),
    );
    const first = JSON.parse(
      await finishCommand(['import', 'openai', file, '--json', '--data', data()]),
    ) as Record<string, number>;
    expect(first).toMatchObject({ files: 1, accepted: 4, duplicates: 0, skipped: 0 });
    const again = JSON.parse(
      await finishCommand(['import', 'openai', file, '--json', '--data', data()]),
    ) as Record<string, number>;
    expect(again).toMatchObject({ accepted: 0, duplicates: 4 });

    const running = runCommand(['start', '--data', data()]);
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await running.says('Ctrl-C stops it');
    const [{ c: one }] = JSON.parse(
      await finishCommand(['sql', 'select 1 as c', '--json', '--data', data()]),
    ) as [{ c: number }];
    expect(one).toBe(1);
    const id = /Session "([^"]+)"/.exec(running.stdout())?.[1];
    const context = JSON.parse(
      await finishCommand(['context', String(id), '--budget', '2000', '--json', '--data', data()]),
    ) as {
      messages: { role: string; content: string | null }[];
    };
    expect(context.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(context.messages[1]?.content).toBe('Погода у Львові?');
    const refused = runCommand(['sql', 'drop table step_rows', '--data', data()]);
    expect((await refused.ended).code).toBe(1);
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });
});

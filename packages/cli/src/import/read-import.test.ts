import { existsSync, readdirSync, statSync } from 'node:fs';
import { inputEvent } from '@palimpsest/events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importFiles, readAll } from './import-files.test-kit.js';
import { type ApiEvent, IMPORT_FORMATS, type ImportFormat } from './read-import.js';

const files = importFiles();
const chat = (...texts: string[]) => ({ messages: texts.map((content) => ({ role: 'user', content })) });

async function ids(name: string, content: unknown): Promise<string[]> {
  const { events } = await files.read('openai', name, content);
  return events.map((event) => `${String(event.conversation_id)} ${String(event.event_id)}`);
}

describe('reading a file', () => {
  it('takes a BOM, CRLF and blank lines, and names a broken line by its number', async () => {
    const line = JSON.stringify(chat('so'));
    const { events, skipped } = await files.read(
      'openai',
      'a.jsonl',
      `\uFEFF${line}\r\n\r\n{"messages": [\r\n${line}`,
    );
    expect(events.map((event) => event.content)).toEqual(['so', 'so']);
    expect(skipped).toEqual([{ place: 'a.jsonl:3', why: 'the line is not JSON' }]);
  });

  it('takes UTF-16 as some shells write it', async () => {
    const bytes = Buffer.from(`\uFEFF${JSON.stringify(chat('Львів'))}`, 'utf16le');
    expect((await files.read('openai', 'a.json', bytes)).events[0]?.content).toBe('Львів');
  });

  it('keeps line separators, NUL and lone surrogates inside of strings', async () => {
    const text = 'a\u2028b\u2029c\0d\uD800e';
    const { events } = await files.read('openai', 'a.jsonl', `${JSON.stringify(chat(text))}\n`);
    expect(events[0]?.content).toBe(text);
  });

  it('knows JSONL without the ending, also when its first line is broken', async () => {
    const line = JSON.stringify(chat('so'));
    expect((await files.read('openai', 'a.txt', `${line}\n${line}\n`)).events).toHaveLength(2);
    const broken = await files.read('openai', 'b.txt', `{"messages"\n${line}\n`);
    expect(broken.events).toHaveLength(1);
    expect(broken.skipped[0]?.place).toBe('b.txt:1');
  });

  it.each(IMPORT_FORMATS)('says that a file for %s is empty', async (format) => {
    for (const name of ['empty.json', 'empty.jsonl']) {
      const { events, reasons } = await files.read(format, name, '\n');
      expect(events).toEqual([]);
      expect(reasons).toMatchObject([{ why: 'the file is empty', count: 1 }]);
    }
  });

  it.each(IMPORT_FORMATS)(
    'names the file and what was expected when it is not of the format %s',
    async (format) => {
      for (const content of ['plain words', '{"some": "object"}', '[1, 2]', 'null', '<html>\n<body>\n']) {
        const name = `wrong-${format}.json`;
        await expect(files.read(format, name, content)).rejects.toThrow(new RegExp(`${name}.*expected`, 's'));
      }
    },
  );

  it('names the file that cannot be read', async () => {
    await expect(readAll('openai', await files.path('absent.json'))).rejects.toThrow(
      /could not read .*absent\.json/,
    );
  });

  it('skips what is nested too deeply', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const good = JSON.stringify(chat('so'));
    const { events, skipped } = await files.read(
      'openai',
      'deep.jsonl',
      `{"messages":[{"role":"tool","tool_call_id":"a","content":{"x":${deep}}}]}\n${good}\n`,
    );
    expect(events).toHaveLength(1);
    expect(skipped).toHaveLength(1);
    const event = `{"type":"tool_result","conversation_id":"c","call_id":"a","content":${deep}}`;
    const own = await files.read('events', 'deep.jsonl', `${event}\n`).catch((error: Error) => error.message);
    expect(own).toMatch(/not of the format events/);
  });
});

describe('identity', () => {
  it('is the same when read again, from another folder or with other line ends', async () => {
    const first = await ids('a/chat.json', JSON.stringify([chat('x', 'y')], undefined, 2));
    expect(await ids('a/chat.json', JSON.stringify([chat('x', 'y')], undefined, 2))).toEqual(first);
    expect(await ids('b/chat.json', JSON.stringify([chat('x', 'y')]).concat('\r\n'))).toEqual(first);
  });

  it('differs for files of one name in two folders', async () => {
    const one = await files.read('swe-agent', 'run-1/task.traj', { history: chat('x').messages });
    const two = await files.read('swe-agent', 'run-2/task.traj', { history: chat('x', 'y').messages });
    expect(one.events[0]?.conversation_id).not.toBe(two.events[0]?.conversation_id);
  });

  it('takes the time from the data, and counts on from it', async () => {
    const { events } = await files.read('openai', 'a.json', {
      created: 1767225600,
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b', timestamp: '2026-03-01T10:00:00+02:00' },
        { role: 'user', content: 'c', timestamp: 'yesterday' },
      ],
    });
    expect(events.map((event) => event.occurred_at)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-03-01T08:00:00.000Z',
      '2026-03-01T08:00:01.000Z',
    ]);
  });
});

describe('any JSON at all', () => {
  it.each(IMPORT_FORMATS)('never crashes %s and never makes what the API refuses', async (format) => {
    const key = fc.constantFrom(
      'role',
      'content',
      'messages',
      'tool_calls',
      'function_call',
      'function',
      'name',
      'arguments',
      'id',
      'type',
      'text',
      'input',
      'usage',
      'history',
      'trajectory',
      'traj',
      'info',
      'reward',
      'task_id',
      'messages_display',
      'tools',
      'system',
      'tool_call_id',
      'conversation_id',
      'created',
      'refusal',
      'model_stats',
      'exit_status',
    );
    const leaf = fc.oneof(
      fc.constantFrom(
        'user',
        'assistant',
        'tool',
        'function',
        'text',
        'tool_use',
        'tool_result',
        'message',
        'user: a\ntool: b',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.double(),
      fc.constantFrom(null, true, '', 1e21, -1, 'x'.repeat(600)),
    );
    const envelope = { type: 'message', conversation_id: 'c' };
    const { value } = fc.letrec<{ value: unknown; list: unknown; object: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        leaf,
        tie('list'),
        tie('object'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc
        .tuple(fc.dictionary(key, tie('value'), { maxKeys: 6 }), fc.constantFrom({}, {}, envelope, envelope))
        .map(([members, also]) => ({ ...members, ...also })),
    }));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 4 }), async (values) => {
        run += 1;
        const file = await files.write(`any-${format}-${run % 2}.json`, JSON.stringify(values));
        const read = await readAll(format, file).catch((error: Error) => {
          expect(error.name).toBe('ImportError');
          return { events: [] };
        });
        for (const event of read.events) expect(inputEvent.safeParse(event).success).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

const DATA = '../shared/data';
const available = existsSync(DATA);
if (!available) console.warn(`${DATA} is absent: the importers are not tried on recorded sessions`);

describe.skipIf(!available)('recorded sessions', () => {
  const recorded = (['tau-bench', 'swe-agent'] as const).flatMap((format: ImportFormat) =>
    (available ? readdirSync(`${DATA}/${format}`) : [])
      .filter((name) => name !== 'SOURCE.txt')
      .map((name) => ({ format, file: `${DATA}/${format}/${name}` })),
  );

  it('are taken whole, with every result after its call, no id twice and the same on a second reading', async () => {
    const owner = new Map<unknown, string>();
    const eventIds = new Set<unknown>();
    let events = 0;
    for (const { format, file } of recorded) {
      const read = await readAll(format, file);
      expect(read.skipped).toEqual([]);
      if (statSync(file).size < 1_000_000) {
        expect(JSON.stringify(await readAll(format, file)) === JSON.stringify(read)).toBe(true);
      }
      events += read.events.length;
      for (const event of read.events) eventIds.add(event.event_id);
      for (const conversation of new Set(read.events.map((event) => event.conversation_id))) {
        expect(owner.get(conversation)).toBeUndefined();
        owner.set(conversation, file);
      }
      expect(faultsOfPairing(read.events)).toEqual([]);
    }
    expect(eventIds.size).toBe(events);
    expect(owner.size).toBe(200 + 19 + 69 + 22);
  });
});

function faultsOfPairing(events: readonly ApiEvent[]): string[] {
  const faults: string[] = [];
  const open = new Map<string, number>();
  for (const event of events) {
    const call = `${String(event.conversation_id)} ${String(event.call_id)}`;
    if (event.type === 'tool_call') open.set(call, (open.get(call) ?? 0) + 1);
    if (event.type !== 'tool_result') continue;
    if ((open.get(call) ?? 0) < 1) faults.push(`${call}: a result without a call`);
    open.set(call, (open.get(call) ?? 0) - 1);
  }
  for (const [call, left] of open) if (left > 0) faults.push(`${call}: a call without a result`);
  return faults;
}

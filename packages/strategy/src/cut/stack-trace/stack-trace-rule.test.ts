import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { cut } from '../cut.js';

const counter = tokenCounter();

function cutTo(text: string, maxTokens: number): string {
  const result = cut({ text, isError: true }, { maxTokens, counter, handle: 'abc' });
  expect(result.type).toBe('stack-trace');
  expect(result.tokens).toBeLessThanOrEqual(maxTokens);
  return result.text;
}

const spring = Array.from(
  { length: 60 },
  (_, at) => `\tat org.springframework.web.F${at}.doFilter(F${at}.java:9)\n`,
).join('');
const site = (name: string) =>
  `  File "/usr/lib/python3/site-packages/${name}.py", line 1, in call\n    return self.app()\n`;

describe('cutting a Java trace', () => {
  const case09 =
    'java.lang.RuntimeException: job failed\n\tat app.Job.run(Job.java:10)\n\tat lib.A.x(A.java:1)\n\tat lib.B.x(B.java:2)\n\tat lib.C.x(C.java:3)\nCaused by: java.lang.IllegalStateException: wrapper\n\tat lib.D.x(D.java:4)\n\t... 40 more\nCaused by: java.net.ConnectException: refused: db:5432\n\tat lib.E.x(E.java:5)\n\t... 44 more\n';

  it('keeps the first line, every cause and the application frame, and states the dropped frames', () => {
    for (const maxTokens of [95, 80, 70, 60]) {
      const text = cutTo(case09, maxTokens);
      for (const kept of [
        'RuntimeException: job failed',
        'app.Job.run',
        'IllegalStateException: wrapper',
        'ConnectException: refused: db:5432',
      ]) {
        expect(text, `cap ${maxTokens}`).toContain(kept);
      }
      expect(text).toMatch(/\d+ (?:library )?frames?/);
      expect(text).not.toContain('lib.C.x');
    }
  });

  it('keeps the last cause when not all fit', () => {
    expect(cutTo(case09, 30)).toContain('refused: db:5432');
  });

  it('keeps suppressed blocks', () => {
    const text = `a.B: x\n${spring}\tSuppressed: java.io.IOException: close failed\n${spring}Caused by: c.D: root\n${spring}`;
    const result = cutTo(text, 100);
    expect(result).toContain('Suppressed: java.io.IOException: close failed');
    expect(result).toContain('Caused by: c.D: root');
  });

  it('folds mutual recursion to one round and a number', () => {
    const text = `java.lang.StackOverflowError\n${'\tat app.P.even(P.java:3)\n\tat app.P.odd(P.java:4)\n'.repeat(512)}`;
    const result = cutTo(text, 120);
    expect(result.match(/app\.P\.even/g)).toHaveLength(1);
    expect(result).toContain('1,022 recursive frames (2 frames repeated 511 times more)');
  });

  it('finds the name above a long message and keeps text around in part', () => {
    const text = `[INFO] building\n${'compiling x\n'.repeat(200)}java.lang.AssertionError: trees differ\n${'    NODE a\n'.repeat(40)}\tat app.T.check(T.java:1)\n${spring}BUILD FAILED in 3s\n`;
    const result = cutTo(text, 120);
    for (const kept of [
      '[INFO] building',
      'AssertionError: trees differ',
      'app.T.check',
      'BUILD FAILED in 3s',
    ])
      expect(result).toContain(kept);
  });
});

function block(error: string): string {
  return `Traceback (most recent call last):\n${Array.from({ length: 20 }, (_, at) => site(`m${at}`)).join('')}  File "/srv/app/job.py", line 7, in run\n    load()\n${error}\n`;
}

describe('cutting a Python trace', () => {
  const chained = `${block('ConnectionRefusedError: db:5432')}\nThe above exception was the direct cause of the following exception:\n\n${block('LoadError: cannot load')}\nDuring handling of the above exception, another exception occurred:\n\n${block('RuntimeError: job failed')}`;

  it('keeps the line at the end of every chained block', () => {
    const result = cutTo(chained, 150);
    for (const kept of [
      'ConnectionRefusedError: db:5432',
      'direct cause',
      'LoadError: cannot load',
      'During handling',
      'RuntimeError: job failed',
      'job.py',
    ]) {
      expect(result).toContain(kept);
    }
    expect(cutTo(chained, 24)).toContain('RuntimeError: job failed');
  });

  it.each([
    ['time stamps', (line: string) => `2026-01-02T03:04:05.678Z ${line}`],
    ["a container's name", (line: string) => `worker-1  | ${line}`],
    ['time stamps and levels', (line: string) => `2026-01-02 03:04:05,678 ERROR ${line}`],
  ])('reads through %s before every line', (_, prefix) => {
    const logged = ['starting up', ...chained.split('\n')].map(prefix).join('\n');
    const result = cutTo(logged, 260);
    for (const kept of [
      'ConnectionRefusedError: db:5432',
      'LoadError: cannot load',
      'RuntimeError: job failed',
    ])
      expect(result).toContain(kept);
  });

  it('keeps the members of an exception group', () => {
    const group = `  + Exception Group Traceback (most recent call last):\n  |   File "/srv/app/a.py", line 1, in f\n  |     go()\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n${'    |   File "/x/site-packages/b.py", line 1, in g\n    |     x()\n'.repeat(30)}    | ValueError: first\n    +---------------- 2 ----------------\n    | KeyError: 'second'\n    +------------------------------------\n`;
    const result = cutTo(group, 160);
    for (const kept of ['ExceptionGroup: many', 'ValueError: first']) expect(result).toContain(kept);
  });
});

describe('cutting other traces', () => {
  const modules = '    at next (/app/node_modules/express/lib/router/index.js:256:14)\n'
    .replaceAll('next', 'n')
    .repeat(1);
  const node = Array.from({ length: 40 }, (_, at) => modules.replace('256', String(at))).join('');

  it('keeps errors and causes of a Node AggregateError', () => {
    const text = `AggregateError: all failed\n${node}    at run (/app/src/job.js:3:1) {\n  [errors]: [\n    Error: first refused\n${node}    ,\n    TypeError: second\n${node}  ],\n  [cause]: Error: connect ECONNREFUSED 10.0.0.1:5432\n${node}      code: 'ECONNREFUSED'\n  }\n}\n`;
    const result = cutTo(text, 150);
    for (const kept of [
      'AggregateError: all failed',
      'first refused',
      'TypeError: second',
      '[cause]: Error: connect ECONNREFUSED',
      'src/job.js',
      '[errors]',
    ])
      expect(result).toContain(kept);
  });

  it('keeps the panic, the signal and the own frames of a Go trace', () => {
    const other = Array.from(
      { length: 30 },
      (_, at) =>
        `\ngoroutine ${at + 7} [chan receive]:\nruntime.gopark(0x1)\n\t/usr/local/go/src/runtime/proc.go:280 +0x12c\n`,
    ).join('');
    const text = `panic: runtime error: nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1]\n\ngoroutine 5 [running]:\nmain.load(0xc0001)\n\t/srv/app/load.go:33 +0x1f\n${other}`;
    const result = cutTo(text, 110);
    for (const kept of ['panic: runtime error', '[signal SIGSEGV', 'goroutine 5 [running]', 'load.go:33'])
      expect(result).toContain(kept);
  });

  it('keeps inner exceptions of .NET', () => {
    const frames = Array.from(
      { length: 40 },
      (_, at) => `   at Microsoft.AspNetCore.M${at}.Invoke(HttpContext c)\n`,
    ).join('');
    const text = `Unhandled exception. App.JobException: job failed\n ---> System.Net.Sockets.SocketException (111): Connection refused db:5432\n${frames}   --- End of inner exception stack trace ---\n   at App.Job.Run() in /src/Job.cs:line 10\n${frames}`;
    const result = cutTo(text, 100);
    for (const kept of ['JobException: job failed', 'Connection refused db:5432', 'App.Job.Run'])
      expect(result).toContain(kept);
  });

  it('keeps the panic of Rust and the causes of anyhow', () => {
    const std = Array.from(
      { length: 40 },
      (_, at) =>
        `  ${at}: std::panicking::f${at}\n             at /rustc/abc/library/std/src/panicking.rs:1:1\n`,
    ).join('');
    const text = `thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds\nstack backtrace:\n${std}  41: app::run\n             at ./src/main.rs:4:5\n\nError: job failed\n\nCaused by:\n    0: loading config\n    1: connection refused db:5432\n`;
    const result = cutTo(text, 130);
    for (const kept of [
      'panicked at src/main.rs:4:5',
      'index out of bounds',
      'Error: job failed',
      'loading config',
      'connection refused db:5432',
      'app::run',
    ])
      expect(result).toContain(kept);
  });

  it('leaves prose that mentions errors alone', () => {
    expect(
      cut({ text: 'We met at noon (late). An Error: none.\n'.repeat(50) }, { maxTokens: 50, counter }).type,
    ).toBe('text');
  });
});

const corpus = fileURLToPath(
  new URL('../../../../../../shared/data/stacktraces/jvm-defects4j/', import.meta.url),
);

describe.skipIf(!existsSync(corpus))(
  `real traces (skipped when ${'shared/data/stacktraces'} is absent)`,
  () => {
    it('keep the first line and the last name of an exception', () => {
      for (const file of readdirSync(corpus)) {
        const text = readFileSync(corpus + file, 'utf8');
        const lines = text.split('\n');
        const first = lines[0] ?? '';
        const causes = lines.filter((line) => line.startsWith('Caused by: '));
        for (const maxTokens of [200, 400]) {
          const result = cut({ text }, { maxTokens, counter, handle: 'abc' });
          expect(result.tokens, file).toBeLessThanOrEqual(maxTokens);
          if (counter.count(first) < 30) expect(result.text, file).toContain(first.slice(0, 10));
          const last = causes.at(-1);
          if (last !== undefined) expect(result.text, `${file} to ${maxTokens}`).toContain(last.slice(0, 30));
          if (causes.length <= 3)
            for (const cause of causes) expect(result.text, file).toContain(cause.slice(0, 24));
        }
      }
    });
  },
);

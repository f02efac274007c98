import type { Samples } from '../samples.js';

const javaFrames = (count: number) =>
  Array.from(
    { length: count },
    (_, at) => `\tat ${at % 9 === 0 ? 'app.Orders' : 'org.springframework.Proxy'}.call${at}(File.java:${at})`,
  ).join('\n');

export const samples: Samples = {
  natural: {
    Java: `java.lang.RuntimeException: job failed\n${javaFrames(60)}\nCaused by: java.lang.IllegalStateException: wrapper\n${javaFrames(40)}\n\t... 40 more\nCaused by: java.net.ConnectException: refused: db:5432\n${javaFrames(30)}\n\t... 44 more\n`,
    Python: `Traceback (most recent call last):\n${Array.from({ length: 60 }, (_, at) => `  File "/app/part${at}.py", line ${at}, in call\n    step(${at})`).join('\n')}\nValueError: no such order: 4471\n`,
    Node: `Error: outer\n${Array.from({ length: 90 }, (_, at) => `    at call${at} (/app/src/part${at}.js:${at}:7)`).join('\n')}\n  [cause]: Error: connect ECONNREFUSED 10.0.0.7:5432\n      at connect (node:net:1:2)\n`,
    Go: `panic: no such order: 4471\n\ngoroutine 1 [running]:\n${Array.from({ length: 60 }, (_, at) => `main.part${at}(0x1)\n\t/app/part${at}.go:${at} +0x1d`).join('\n')}\n`,
  },
  parts: [
    'java.lang.RuntimeException: a',
    '\tat app.A.b(A.java:1)',
    '\tat java.util.X.y(X.java:2)',
    'Caused by: x.Y: z',
    '\t... 3 more',
    'Traceback (most recent call last):',
    '  File "a.py", line 1, in f',
    '    f()',
    'ValueError: bad',
    '',
    'panic: oh',
    'goroutine 1 [running]:',
    'main.f(0x1)',
    '\t/a/b.go:3 +0x1',
    '  [cause]: Error: c',
    '    at f (/app/a.js:1:2)',
    'ERROR build failed',
    '👩‍👩‍👧‍👦 текст',
  ],
  between: '\n',
  hostile: {
    'frames of parentheses': (size) => `    at ${'(('.repeat(60)}:1\n`.repeat(size / 130),
    'many causes': (size) => 'Caused by: a.B: c\n\tat x.Y.z(Y.java:1)\n'.repeat(size / 40),
    recursion: (size) =>
      `java.lang.StackOverflowError: x\n${'\tat app.A.b(A.java:1)\n\tat app.A.c(A.java:2)\n'.repeat(size / 46)}`,
    'a message without end': (size) =>
      `java.lang.Error: ${'x '.repeat(size / 2)}\n\tat app.A.b(A.java:1)\n\tat app.A.b(A.java:2)\n`,
    'headers only': (size) => 'Traceback (most recent call last):\n'.repeat(size / 35),
    goroutines: (size) => 'goroutine 1 [running]:\nmain.f(0x1)\n\t/a/b.go:3 +0x1\n'.repeat(size / 53),
  },
  // A frame or a message is shown whole or by its ends, never made up: every word of a line is in the original.
  fault(rendition, original) {
    for (const line of rendition.split('\n')) {
      const shown = line.split('[…', 1)[0]?.trim() ?? '';
      if (shown.startsWith('…') || original.includes(shown)) continue;
      return `a line of its own: ${line.slice(0, 120)}`;
    }
    return null;
  },
};

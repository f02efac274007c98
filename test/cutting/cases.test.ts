import { type ContentType, cut } from '@palimpsest/strategy';
import { openAiViolations } from '@palimpsest/strategy/testing';
import { tokenCounter } from '@palimpsest/tokens';
import { describe, expect, it } from 'vitest';
import { contextOf, foldEvents, sentTokens, strategyOf } from '../harness/fold-in-memory.js';
import { History } from '../harness/histories.js';

const counter = tokenCounter();
const strategy = strategyOf('name: default\n');
const frames = (count: number, of = 'org.springframework.web.Proxy') =>
  Array.from({ length: count }, (_, at) => `\tat ${of}.call${at}(File.java:${at})`).join('\n');

/** What a model is sent of one large tool result, the whole context within `budget`. */
function shownOf(result: string, budget: number): string {
  const history = new History();
  history.message('user', 'run it');
  history.call('c', 'run', '{}');
  history.result('c', result);
  const { messages } = contextOf(foldEvents(history.events, strategy), strategy, budget);
  expect(openAiViolations(messages)).toEqual([]);
  expect(sentTokens(messages)).toBeLessThanOrEqual(budget);
  return String(messages.at(-1)?.content);
}

describe('case 09: the root cause survives', () => {
  const traces: [string, string, string[]][] = [
    [
      'the case itself, at its scale',
      `java.lang.RuntimeException: job failed\n\tat app.Job.run(Job.java:10)\n${frames(300)}\nCaused by: java.lang.IllegalStateException: wrapper\n${frames(300)}\n\t... 40 more\nCaused by: java.net.ConnectException: refused: db:5432\n${frames(300)}\n\t... 44 more\n`,
      ['job failed', 'app.Job.run', 'wrapper', 'refused: db:5432'],
    ],
    [
      'a suppressed block with a cause of its own',
      `java.io.IOException: close failed\n${frames(200)}\n\tSuppressed: java.lang.Exception: rollback\n${frames(100)}\n\tCaused by: java.sql.SQLException: deadlock 4471\n${frames(100)}\n`,
      ['close failed', 'rollback', 'deadlock 4471'],
    ],
    [
      'Python, chained twice',
      `Traceback (most recent call last):\n${'  File "/app/a.py", line 1, in f\n    f()\n'.repeat(200)}KeyError: 'order'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n${'  File "/usr/lib/python3/site-packages/x.py", line 9, in g\n    g()\n'.repeat(200)}ValueError: no order 4471\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "/app/main.py", line 3, in <module>\n    main()\nRuntimeError: job 17 failed\n`,
      [
        "KeyError: 'order'",
        'During handling',
        'ValueError: no order 4471',
        'direct cause',
        'RuntimeError: job 17 failed',
      ],
    ],
    [
      'Node, a cause in a cause',
      `Error: outer\n${'    at f (/app/node_modules/x/a.js:1:2)\n'.repeat(200)}  [cause]: Error: middle\n${'      at g (/app/node_modules/x/b.js:1:2)\n'.repeat(200)}    [cause]: Error: connect ECONNREFUSED 10.0.0.7:5432\n        at h (node:net:1:2)\n`,
      ['Error: outer', 'Error: middle', 'ECONNREFUSED 10.0.0.7:5432'],
    ],
    [
      'Node, several at once',
      `AggregateError: All promises were rejected\n${'    at f (/app/node_modules/x/a.js:1:2)\n'.repeat(200)}  [errors]: [\n    Error: first 4471\n${'        at g (/app/b.js:1:2)\n'.repeat(50)}    Error: second 4472\n        at h (/app/c.js:1:2)\n  ]\n`,
      ['All promises were rejected', 'first 4471', 'second 4472'],
    ],
    [
      'PHP, the next exception',
      `PHP Fatal error:  Uncaught PDOException: Connection refused in /app/Db.php:14\nStack trace:\n${Array.from({ length: 200 }, (_, at) => `#${at} /app/vendor/x/F${at}.php(${at}): call()`).join('\n')}\n#200 {main}\n\nNext RuntimeException: job 17 failed in /app/Job.php:30\nStack trace:\n#0 {main}\n  thrown in /app/Job.php on line 30`,
      ['Connection refused', 'job 17 failed'],
    ],
    [
      'a recursion',
      `java.lang.StackOverflowError\n${'\tat app.Tree.walk(Tree.java:9)\n'.repeat(1_000)}\tat app.Main.main(Main.java:3)\nCaused by: app.Cycle: node 17`,
      ['StackOverflowError', 'app.Tree.walk', '999', 'app.Main.main', 'node 17'],
    ],
    [
      'the lines of a log around it',
      `${'2026-01-01 10:00:00 INFO serving\n'.repeat(300)}2026-01-01 10:00:01 ERROR java.lang.IllegalStateException: pool is empty\n${frames(200)}\nCaused by: java.util.concurrent.TimeoutException: 30 s for db-7\n${frames(100)}\n${'2026-01-01 10:00:02 INFO serving\n'.repeat(300)}`,
      ['pool is empty', '30 s for db-7'],
    ],
  ];
  it.each(traces)('in %s', (_, text, kept) => {
    for (const shown of [
      shownOf(text, 700),
      cut({ text }, { maxTokens: 200, counter, handle: 'a-1' }).text,
    ]) {
      for (const part of kept) expect(shown).toContain(part);
    }
  });
});

describe('case 10: what eats the cap of a page', () => {
  const article =
    '<article><h1>Forecast</h1><p>Kyiv +18&nbsp;C, 5 &lt; wind &lt; 9</p><table><tr><td title="a>b">Mon</td><td>17</td></tr></table></article>';
  const noise: [string, string][] = [
    ['scripts', `<script>${'var leak=1;'.repeat(2_000)}</script>`],
    ['scripts with an end in a string', `<script>var a="<\\/script>";${'leak();'.repeat(2_000)}</script>`],
    ['styles', `<style>${'.leak{width:1px}'.repeat(2_000)}</style>`],
    ['data of the page', `<script type="application/ld+json">{"leak":"${'leak '.repeat(3_000)}"}</script>`],
    ['a comment', `<!-- ${'leak '.repeat(3_000)} -->`],
    ['navigation', `<nav><ul>${'<li><a href="/leak">leak</a></li>'.repeat(500)}</ul></nav>`],
    ['a drawing', `<svg><title>leak</title><path d="${'M1 2L3 4'.repeat(2_000)}"/></svg>`],
    ['a template in a template', `<template>${'<template>leak</template>'.repeat(500)}</template>`],
    ['an image in its address', `<img alt="" src="data:image/png;base64,${'leak'.repeat(5_000)}">`],
    ['attributes', `<div data-state='${'{"leak":">"}'.repeat(1_000)}'></div>`],
    ['what is hidden', `<div hidden>${'leak '.repeat(3_000)}</div>`],
    ['a footer', `<footer>${'<p>leak</p>'.repeat(1_000)}</footer>`],
  ];
  it.each(noise)('%s do not', (_, junk) => {
    for (const page of [
      `<html><head></head><body>${junk}${article}</body></html>`,
      `<html><body>${article}${junk}`,
    ]) {
      const shown = shownOf(page, 400);
      for (const kept of ['Forecast', 'Kyiv +18', '5 < wind < 9']) expect(shown).toContain(kept);
      expect(shown).toMatch(/Mon\W+17/);
      expect(shown).not.toMatch(/leak|b">/);
    }
  });
});

describe('case 07: characters stay whole in every type', () => {
  const family = '👩‍👩‍👧‍👦';
  const scripts = {
    Thai: 'วันนี้อากาศดีมาก',
    Hindi: 'आज मौसम अच्छा है',
    Korean: '오늘 날씨가 좋습니다',
    Ukrainian: 'п’ятниця, їжак',
    family,
    flags: '🇺🇦🇵🇱',
    marks: 'e\u0301\u0323a\u0308',
  };
  const wraps: Record<ContentType, (text: string) => string> = {
    text: (text) => text,
    json: (text) => JSON.stringify({ id: 1, body: text }),
    html: (text) => `<html><body><p>${text}</p></body></html>`,
    xml: (text) => `<r><id>1</id><body>${text}</body></r>`,
    table: (text) => `id,body,ok\n${Array.from({ length: 9 }, (_, at) => `${at},"${text}",yes`).join('\n')}`,
    markdown: (text) => `# A\n\n## B\n\n${text}\n\n\`\`\`\n${text}\n\`\`\`\n`,
    diff: (text) => `--- a\n+++ b\n@@ -1 +1 @@\n-${text}\n+${text}\n`,
    log: (text) => `2026-01-01 10:00:00 INFO ${text}\n`.repeat(9),
    code: (text) => `function f() {\n  // ${text}\n}\n`.repeat(9),
    'stack-trace': (text) => `java.lang.Error: ${text}\n\tat app.A.b(A.java:1)\n\tat app.A.c(A.java:2)\n`,
    binary: (text) => text,
  };
  const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
  const clusters = (text: string) => new Set(Array.from(segmenter.segment(text), ({ segment }) => segment));

  it.each(Object.entries(wraps))('%s', (type, wrap) => {
    for (const [script, sample] of Object.entries(scripts)) {
      const text = wrap(sample.repeat(120));
      const whole = clusters(text);
      for (let maxTokens = 20; maxTokens < 120; maxTokens += 9) {
        const shown = cut({ text, type: type as ContentType }, { maxTokens, counter }).text;
        const torn = [...clusters(shown)].filter(
          (cluster) => /[^\0-~…]/.test(cluster) && !whole.has(cluster),
        );
        expect(torn, `${script} at ${maxTokens}: ${shown.slice(0, 200)}`).toEqual([]);
      }
    }
  });
});

describe('case 08: one line without an end', () => {
  it.each([
    ['a minified bundle', 'function(a,b){return a&&b||c.d[e]};'.repeat(6_000)],
    ['one line of JSON', JSON.stringify(Array.from({ length: 8_000 }, (_, at) => ({ at, name: `n${at}` })))],
    ['one line of CSV cells', `a,b,c\n1,2,3\n4,5,6\n7,8,${'x'.repeat(200_000)}`],
    ['one frame', `java.lang.Error: x\n\tat ${'a'.repeat(200_000)}.b(C.java:1)\n\tat app.A.b(A.java:1)\n`],
    ['one line of a diff', `--- a\n+++ b\n@@ -1 +1 @@\n-${'a'.repeat(100_000)}\n+${'b'.repeat(100_000)}\n`],
    ['one element', `<r><a>${'x'.repeat(200_000)}</a></r>`],
    ['one attribute', `<r a="${'x'.repeat(200_000)}"/>`],
    ['one fence', `# A\n\n## B\n\n\`\`\`\n${'x'.repeat(200_000)}\n\`\`\`\n`],
  ])('is cut in bounded time: %s', (_, text) => {
    const start = performance.now();
    expect(shownOf(text, 600)).not.toBe('');
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});

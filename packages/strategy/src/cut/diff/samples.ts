import { isNote, type Samples } from '../samples.js';

const hunk = (at: number) =>
  `@@ -${at * 20 + 1},7 +${at * 20 + 1},8 @@ function part${at}() {\n const a = ${at};\n const b = 2;\n \n-  return a + b;\n+  const sum = a + b;\n+  return sum;\n }\n \n // end ${at}\n`;
const file = (name: string, hunks: number) =>
  `diff --git a/${name} b/${name}\nindex 83db48f..bf269f4 100644\n--- a/${name}\n+++ b/${name}\n${Array.from({ length: hunks }, (_, at) => hunk(at)).join('')}`;

export const samples: Samples = {
  natural: {
    'git diff': file('src/a.ts', 6) + file('src/b.ts', 6) + file('docs/c.md', 4),
    'git show': `commit 1234567890\nAuthor: A <a@example.org>\n\n    Count it once\n\n${file('src/a.ts', 14)}`,
    'a new file': `diff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,200 @@\n${Array.from({ length: 200 }, (_, at) => `+line number ${at}`).join('\n')}\n\\ No newline at end of file`,
    'diff -u': `--- old/a.txt\t2026-01-01\n+++ new/a.txt\t2026-01-02\n${Array.from({ length: 20 }, (_, at) => hunk(at)).join('')}`,
  },
  parts: [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1,2 +1,3 @@ f()',
    '@@ -5 +6 @@',
    ' same',
    '-old',
    '+new',
    '',
    '\\ No newline at end of file',
    '@@ -0,0 +1,2 @@',
    'Binary files a/x and b/x differ',
    '--- removed line',
    '+++ added line',
  ],
  between: '\n',
  hostile: {
    'hunks of nothing': (size) => '@@ -1,0 +1,0 @@\n+\n'.repeat(size / 18),
    'one giant hunk': (size) => `--- a\n+++ b\n@@ -1,${size} +1,${size} @@\n${'-a\n+b\n'.repeat(size / 6)}`,
    'file after file': (size) =>
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'.repeat(size / 54),
    'a minified line': (size) =>
      `--- a\n+++ b\n@@ -1 +1 @@\n-${'a;'.repeat(size / 4)}\n+${'b;'.repeat(size / 4)}`,
    'context only': (size) => `@@ -1,${size / 2} +1,${size / 2} @@\n+x\n${' a\n'.repeat(size / 3)}`,
  },
  fault: brokenHunk,
};

/** Counts the lines under every header, as `git apply` does. */
function brokenHunk(rendition: string): string | null {
  const lines = rendition.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? '');
    if (found === null) continue;
    let before = Number(found[2] ?? 1);
    let after = Number(found[4] ?? 1);
    while (before > 0 || after > 0) {
      const line = lines[(at += 1)];
      if (line === undefined || isNote(line))
        return `${found[0]} ends ${before} and ${after} lines too early`;
      if (line.startsWith('\\')) continue;
      if (!/^[ +-]/.test(line)) return `no line of a hunk: ${line}`;
      before -= line.startsWith('+') ? 0 : 1;
      after -= line.startsWith('-') ? 0 : 1;
    }
    if (before < 0 || after < 0) return `${found[0]} has too many lines`;
  }
  return null;
}

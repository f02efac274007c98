import { foreignLine, type Samples } from '../samples.js';

export const samples: Samples = {
  natural: {
    TypeScript: Array.from(
      { length: 120 },
      (_, at) => `export function part${at}(): number {\n  const x = ${at};\n  return x * 2;\n}\n`,
    ).join('\n'),
    Python: `import os\nimport sys\n\n${Array.from({ length: 120 }, (_, at) => `def part_${at}(x: int) -> int:\n    """Doubles."""\n    return x * ${at}\n`).join('\n')}`,
    'Go with line numbers': Array.from(
      { length: 100 },
      (_, at) =>
        `${String(at * 4 + 1).padStart(6)}\tfunc Part${at}(x int) int {\n${String(at * 4 + 2).padStart(6)}\t\treturn x * ${at}\n${String(at * 4 + 3).padStart(6)}\t}`,
    ).join('\n'),
    Java: `package a.b;\nimport java.util.List;\npublic class Orders {\n${Array.from({ length: 100 }, (_, at) => `  public int part${at}(List<String> xs) {\n    return xs.size() + ${at};\n  }\n`).join('\n')}}\n`,
  },
  parts: [
    'export function a(): void {',
    '  return 1;',
    '}',
    'class B {',
    'import x from "y";',
    'def f(x):',
    '',
    '  const inner = 1;',
    '// note',
    '👩‍👩‍👧‍👦',
  ],
  between: '\n',
  hostile: {
    'a minified bundle': (size) =>
      `${'function a(){}\n'.repeat(6)}${'function(a,b){return a&&b};'.repeat(size / 27)}`,
    'open parentheses': (size) =>
      `${'function a(){}\n'.repeat(6)}${`  ${'a('.repeat(140)}\n`.repeat(size / 283)}`,
    'type parameters': (size) =>
      `${'class A {}\n'.repeat(6)}${`  ${'A<B,'.repeat(70)} x() {\n`.repeat(size / 290)}`,
    'blank lines': (size) => `${'class A {}\n'.repeat(6)}${' \n'.repeat(size / 2)}`,
  },
  fault: foreignLine,
};

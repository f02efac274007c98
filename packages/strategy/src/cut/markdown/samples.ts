import { openCode, type Samples } from '../samples.js';

export const samples: Samples = {
  natural: {
    'a readme': `# Tool\n\nWhat it does, in two lines.\nAnd one more.\n\n${Array.from({ length: 40 }, (_, at) => `## Part ${at}\n\nText of this part, a line of it.\n\n\`\`\`sh\nrun --part ${at}\n# not a heading\n\`\`\`\n`).join('\n')}`,
    'an answer with long code': `Here is the file:\n\n\`\`\`ts\n${Array.from({ length: 150 }, (_, at) => `call(${at});`).join('\n')}\n\`\`\`\n\nThat is all.`,
    'code that shows fences': `# Doc\n\n\`\`\`\`md\n\`\`\`js\nx\n\`\`\`\n\`\`\`\`\n\n${'A line of prose about it.\n'.repeat(150)}## End\n`,
    'code never closed': `# A\n\n## B\n\n~~~py\n${'print(1)\n'.repeat(300)}`,
    'an image inside': `# A\n\n## B\n\n![x](data:image/png;base64,${'iVBORw0KGgo'.repeat(300)})\n\nText.`,
  },
  parts: [
    '# A',
    '## B',
    '### C',
    'Text of it.',
    '```',
    '```js',
    '~~~',
    '````',
    'code();',
    '',
    '- item',
    '[… 3 lines cut]',
    '👩‍👩‍👧‍👦 текст',
    '    ```',
  ],
  between: '\n',
  hostile: {
    fences: (size) => '# a\n```\n```\n'.repeat(size / 12),
    'one open fence': (size) => `# a\n## b\n\`\`\`\n${'x\n'.repeat(size / 2)}`,
    'a long fence': (size) => `# a\n## b\n${'`'.repeat(size)}\nx`,
    headings: (size) => '# a\n'.repeat(size / 4),
    'a heading of marks': (size) => `# a\n## b\n${'#'.repeat(size)}`,
    'one line': (size) => `# a\n## b\n${'word '.repeat(size / 5)}`,
  },
  fault: openCode,
};

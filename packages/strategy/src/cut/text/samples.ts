import { openCode, type Samples } from '../samples.js';

const UKRAINIAN = 'Сьогодні у Львові дощ, тому зустріч перенесено на п’ятницю о десятій. ';

export const samples: Samples = {
  natural: {
    prose: 'The order was packed on Monday and left the house on Tuesday. '.repeat(60),
    'Ukrainian prose': UKRAINIAN.repeat(50),
    'text without spaces': '東京の天気は晴れです。明日は雨が降るでしょう。'.repeat(60),
    emoji: '👩‍👩‍👧‍👦🇺🇦👍🏽 '.repeat(150),
  },
  parts: [
    'A sentence. ',
    'слово ',
    '👩‍👩‍👧‍👦',
    '🇺🇦',
    'e\u0301',
    '\n',
    '\n\n',
    '```js\n',
    '\n```\n',
    '~~~',
    '[… 3 lines cut]',
    '漢字',
    ' ',
  ],
  between: '',
  hostile: {
    'one letter': (size) => 'a'.repeat(size),
    spaces: (size) => ' '.repeat(size),
    newlines: (size) => '\n'.repeat(size),
    'newlines before a letter': (size) => `${'\n'.repeat(size)}x`,
    'stacked marks': (size) => `e${'\u0301'.repeat(size)}`,
    'emoji families': (size) => '👩‍👩‍👧‍👦'.repeat(size / 11),
    flags: (size) => '🇺🇦'.repeat(size / 4),
    'markers in markers': (size) => '[… 1 lines cut '.repeat(size / 15),
    'fences that never close': (size) => '```a\n'.repeat(size / 5),
    'data URLs without a payload': (size) => 'data:,'.repeat(size / 6),
  },
  fault: openCode,
};

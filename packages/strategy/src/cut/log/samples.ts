import { foreignLine, type Samples } from '../samples.js';

const at = (second: number) =>
  `2026-01-01 10:${String(Math.floor(second / 60) % 60).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;

export const samples: Samples = {
  natural: {
    'a package manager': `${Array.from({ length: 100 }, (_, n) => `npm http fetch GET 200 /pkg${n} ${'abcdefgh'[n % 8]} ${n}ms`).join('\n')}\nnpm ERR! code ERESOLVE\nnpm ERR! Found: react@17.0.2\n${Array.from({ length: 100 }, (_, n) => `npm verb stack ${'abcdefgh'[n % 8]}${n}`).join('\n')}`,
    'a compiler': `${Array.from({ length: 150 }, (_, n) => `[${n}%] Building CXX object src/${'abcdefgh'[n % 8]}.cpp.o`).join('\n')}\nsrc/a.cpp:14:3: error: use of undeclared identifier 'total'\n${Array.from({ length: 150 }, (_, n) => `[${n}%] Linking ${'abcdefgh'[n % 8]}.so`).join('\n')}`,
    'a service': Array.from(
      { length: 200 },
      (_, n) =>
        `${at(n)} ${n === 120 ? 'ERROR refused: db:5432' : `INFO ${['read', 'write', 'sync', 'sweep'][n % 4]} ${'abcdefg'[n % 7]} done`}`,
    ).join('\n'),
    'one line again and again': Array.from({ length: 300 }, (_, n) => `${at(n)} WARN retry ${n} of db`).join(
      '\n',
    ),
    syslog: Array.from(
      { length: 200 },
      (_, n) =>
        `Jan  1 10:00:${String(n % 60).padStart(2, '0')} host app[${n}]: ${['started', 'stopped', 'moved'][n % 3]} unit ${'abcdefghij'[n % 10]}`,
    ).join('\n'),
  },
  parts: [
    '2026-01-01 10:00:00 INFO a',
    '2026-01-01 10:00:01 ERROR b failed',
    '2026-01-01 10:00:02 WARN c',
    '',
    'plain',
    '[… 3 more lines like the one above]',
    '👩‍👩‍👧‍👦 текст',
  ],
  between: '\n',
  hostile: {
    'one line': (size) => '2026-01-01 10:00:00 INFO a\n'.repeat(size / 27),
    'errors only': (size) =>
      Array.from(
        { length: size / 40 },
        (_, n) => `2026-01-01 10:00:00 ERROR ${'abcdefgh'[n % 8]} failed`,
      ).join('\n'),
    digits: (size) => `2026-01-01 10:00:00 INFO a\n`.repeat(5) + '1 '.repeat(size / 2),
    'words in capitals': (size) => `2026-01-01 10:00:00 INFO a\n`.repeat(5) + 'ERROR'.repeat(size / 5),
    'empty lines': (size) => `2026-01-01 10:00:00 INFO a\n`.repeat(5) + '\n'.repeat(size),
  },
  fault: foreignLine,
};

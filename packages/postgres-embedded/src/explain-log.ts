const REMEDIES: readonly [RegExp, string][] = [
  [/No space left on device|Disk quota exceeded/, 'The disk is full: free some space and start again.'],
  [/Read-only file system/, 'The file system is read-only: name a data folder on another one.'],
  [/Permission denied|has wrong ownership/, 'The data folder must belong to the user the server runs as.'],
  [/Address already in use/, 'The port is taken: stop what listens there, or name another port.'],
  [
    /could not (create|map|resize).*shared memory/i,
    'Too little shared memory: raise the container limit (shm).',
  ],
  [
    /incompatible with server|initialized by PostgreSQL version/,
    'The folder was made by another major version of PostgreSQL: restore a backup into a new data folder.',
  ],
  [
    /error while loading shared libraries|Library not loaded/,
    'A library is missing: run "npm rebuild" so that the links of the binary package are made.',
  ],
  [
    /pre-existing shared memory block|lock file .* already exists/,
    'Another server still works on this folder: end it first.',
  ],
];

/** The remedy for a failed start, from what the server or initdb has written, with the last lines of it. */
export function explainLog(text: string): string {
  const remedy =
    REMEDIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'See server.log in the data folder.';
  const tail = text.trim().split('\n').slice(-4).join(' | ');
  return tail === '' ? remedy : `${remedy} It said: ${tail}`;
}

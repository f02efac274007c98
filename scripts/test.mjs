// `npm test`: installs, builds, checks the types of the tests, runs them, and closes with one line of counts.
import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { root, run, setup } from './setup.mjs';

setup();
run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'test'], {
  quiet: true,
});
const report = join(root, 'node_modules', '.palimpsest-tests.json');
const vitest = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
vitest.on('exit', async (code) => {
  const { readFile } = await import('node:fs/promises');
  try {
    const counts = JSON.parse(await readFile(report, 'utf8'));
    const skipped = counts.numPendingTests + (counts.numTodoTests ?? 0);
    const failed = counts.numFailedTests;
    process.stdout.write(failuresOf(counts));
    process.stdout.write(
      `\n${counts.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
    process.exit(code ?? 1);
  } catch {
    process.exit(code || 1);
  }
});

/** What failed and why, short and last: logs are often kept by their end. */
function failuresOf({ testResults }) {
  return testResults
    .flatMap(({ name, message, assertionResults }) => {
      const failures = assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join(' ').slice(0, 1000)}`);
      if (failures.length === 0 && message) failures.push(message.slice(0, 1000));
      return failures.map((failure) => `\nFAILED ${relative(root, name)}: ${failure}\n`);
    })
    .join('');
}

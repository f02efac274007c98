import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { type AgentEvent, createClient } from '@palimpsest/client';
import cliProgress from 'cli-progress';
import type { Environment } from '../environment.js';
import { type ImportFormat, ImportSummary, readImport } from '../import/read-import.js';
import { CommandError, type Output } from '../output.js';
import { type Connection, withStack } from '../stack/connect.js';

export interface Imported {
  files: number;
  accepted: number;
  duplicates: number;
  skipped: number;
  reasons: ReturnType<ImportSummary['reasons']>;
}

/** Events per request: large enough that the transaction pays, small enough that a refusal names few. */
const CHUNK = 500;

/** `palimpsest import <format> <files…>`: idempotent, says what it skipped and why. */
export async function importCommand(
  format: ImportFormat,
  files: readonly string[],
  environment: Environment,
  output: Output,
): Promise<void> {
  for (const file of files) await assertReadable(file);
  await withStack(environment, output.progress, async (connection) => {
    const imported = await importFiles(format, files, connection);
    if (connection.stack !== null) {
      output.progress('Folding…');
      await connection.stack.settled();
    }
    output.line(
      `${imported.files} files: ${imported.accepted} events accepted, ${imported.duplicates} known already, ${imported.skipped} skipped.`,
    );
    for (const { why, count, places } of imported.reasons) {
      output.line(`  skipped ${count}: ${why} (${places.join(', ')}${count > places.length ? ', …' : ''})`);
    }
    output.value(imported);
  });
}

/** Before a stack is started for it. */
async function assertReadable(file: string): Promise<void> {
  await access(file, constants.R_OK).catch((cause: unknown) => {
    throw new CommandError(
      `${file} cannot be read: check the name and its permissions. Nothing was imported.`,
      {
        cause,
      },
    );
  });
}

/** Sends files to the API in order, one request after another. */
export async function importFiles(
  format: ImportFormat,
  files: readonly string[],
  connection: Pick<Connection, 'url' | 'key'>,
): Promise<Imported> {
  const client = createClient(connection);
  const summary = new ImportSummary();
  const bar = new cliProgress.SingleBar(
    {
      format: '{bar} {value}/{total} files, {events} events {file}',
      stream: process.stderr,
      hideCursor: true,
    },
    cliProgress.Presets.shades_classic,
  );
  const isTerminal = process.stderr.isTTY === true && files.length > 1;
  if (isTerminal) bar.start(files.length, 0, { events: 0, file: '' });
  let accepted = 0;
  let duplicates = 0;
  const send = async (events: AgentEvent[]): Promise<void> => {
    const receipt = await client.sendEvents(events);
    accepted += receipt.accepted;
    duplicates += receipt.duplicates;
  };
  try {
    for (const file of files) {
      let chunk: AgentEvent[] = [];
      for await (const item of readImport(format, file, { summary })) {
        if (item.kind === 'skipped') continue;
        chunk.push(item.event as unknown as AgentEvent);
        if (chunk.length === CHUNK) {
          await send(chunk);
          chunk = [];
        }
      }
      if (chunk.length > 0) await send(chunk);
      if (isTerminal) bar.increment(1, { events: accepted + duplicates, file: basename(file) });
    }
  } catch (cause) {
    throw new CommandError(
      `Import stopped: ${(cause as Error).message}\nWhat was accepted stays; run the same command again, nothing is doubled.`,
      { cause },
    );
  } finally {
    if (isTerminal) bar.stop();
  }
  return { files: files.length, accepted, duplicates, skipped: summary.skipped, reasons: summary.reasons() };
}

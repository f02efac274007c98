import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import {
  type ApiEvent,
  type ImportFormat,
  ImportSummary,
  readImport,
  type SkippedReason,
} from './read-import.js';

export interface ReadFile {
  events: ApiEvent[];
  skipped: { place: string; why: string }[];
  reasons: SkippedReason[];
}

/** For tests: reads all of a file. Places are given without the folder. */
export async function readAll(format: ImportFormat, file: string): Promise<ReadFile> {
  const summary = new ImportSummary();
  const read: ReadFile = { events: [], skipped: [], reasons: [] };
  for await (const item of readImport(format, file, { summary })) {
    if (item.kind === 'event') read.events.push(item.event);
    else read.skipped.push({ place: item.place.replace(`${dirname(file)}/`, ''), why: item.why });
  }
  read.reasons = summary.reasons();
  return read;
}

/** For tests: writes files into a folder of the test file's own and reads them. The folder goes when the tests end. */
export function importFiles() {
  const folder = mkdtemp(join(tmpdir(), 'palimpsest-import-'));
  afterAll(async () => rm(await folder, { recursive: true, force: true }));
  return {
    async path(name: string): Promise<string> {
      return join(await folder, name);
    },
    async write(name: string, content: string | Buffer): Promise<string> {
      const file = join(await folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    /** A text or bytes are written as they are, anything else as JSON. */
    async read(format: ImportFormat, name: string, content: unknown): Promise<ReadFile> {
      const raw = typeof content === 'string' || Buffer.isBuffer(content);
      return readAll(format, await this.write(name, raw ? content : JSON.stringify(content)));
    },
  };
}

/** Events as one short line each, for tests about order and kind. */
export function outline(events: readonly ApiEvent[]): string[] {
  return events.map((event) => {
    const what = event.role ?? event.tool ?? event.outcome ?? '';
    const call = event.call_id === undefined ? '' : ` ${String(event.call_id)}`;
    return `${String(event.type)} ${String(what)}${call}`.trimEnd().replace('  ', ' ');
  });
}

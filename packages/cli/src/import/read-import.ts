import { inputEvent } from '@palimpsest/events';
import { anthropicReader } from './anthropic.js';
import { readEvents } from './events.js';
import type { ImportFormat, ImportItem, ImportOptions } from './import-item.js';
import { openAiReader } from './openai.js';
import { type ConversationReader, splitConversations } from './split-conversations.js';
import { sweAgentReader } from './swe-agent.js';
import { tauBenchReader } from './tau-bench.js';

export {
  type ApiEvent,
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportItem,
  type ImportOptions,
  ImportSummary,
  type SkippedReason,
} from './import-item.js';

const READERS: Record<Exclude<ImportFormat, 'events'>, ConversationReader> = {
  openai: openAiReader,
  anthropic: anthropicReader,
  'tau-bench': tauBenchReader,
  'swe-agent': sweAgentReader,
};

/**
 * Reads a file as events for `POST /v1/events`, in the order of the file, and says what it leaves out. Ids come from the
 * content and the file's name: reading again, or from another folder, yields the same. What the API would refuse is
 * skipped, since it refuses a whole request for one bad event. Throws ImportError where the file as a whole cannot be
 * read or is of another format.
 *
 * @example for await (const item of readImport('openai', 'chat.jsonl', { summary })) …
 */
export async function* readImport(
  format: ImportFormat,
  file: string,
  options: ImportOptions = {},
): AsyncGenerator<ImportItem> {
  const items = format === 'events' ? readEvents(file) : splitConversations(READERS[format], file);
  for await (const read of items) {
    const item = sendable(read);
    options.summary?.add(item);
    yield item;
  }
}

function sendable(item: ImportItem): ImportItem {
  if (item.kind === 'skipped') return item;
  const checked = inputEvent.safeParse(item.event);
  if (checked.success) return item;
  const issue = checked.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  return {
    kind: 'skipped',
    place: item.place,
    why: `${field}: ${issue?.message ?? 'is refused by the API'}`,
  };
}

import type { LogRecord } from '@palimpsest/log';

/** One partition of kafkajs's decoded fetch response (version 4 and later); its types leave it at `any`. */
export interface FetchedPartition {
  partition: number;
  highWatermark: string;
  abortedTransactions?: readonly { producerId: string; firstOffset: string }[];
  messages: readonly FetchedMessage[];
}

interface FetchedMessage {
  offset: string;
  timestamp: string;
  key: Buffer | null;
  value: Buffer | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | null>;
  isControlRecord?: boolean;
  batchContext?: { producerId: string; inTransaction: boolean };
}

export interface FetchedPage {
  records: LogRecord[];
  /** Where to fetch next: behind control records and aborted ones too, which `records` leaves out. */
  next: bigint;
}

/**
 * What a reader of committed data sees of a response: transaction markers and records of aborted transactions (of
 * foreign producers; ours use none) are left out, and so is what lies before `from`: brokers answer in whole batches.
 */
export function committedRecords(topic: string, from: bigint, fetched: FetchedPartition): FetchedPage {
  const records: LogRecord[] = [];
  let next = from;
  const aborted = abortedSpans(fetched);
  for (const message of fetched.messages) {
    const offset = BigInt(message.offset);
    const isAborted = aborted?.(message, offset) ?? false;
    if (offset < from) continue;
    next = offset + 1n;
    if (message.isControlRecord === true || isAborted) continue;
    records.push({
      topic,
      partition: fetched.partition,
      offset,
      key: message.key?.toString('utf8') ?? null,
      value: message.value,
      headers: headersOf(message.headers),
      timestamp: Number(message.timestamp),
    });
  }
  return { records, next };
}

/** A transaction of the list begins at its first offset and ends at its producer's next marker. */
function abortedSpans({
  abortedTransactions,
}: FetchedPartition): ((message: FetchedMessage, offset: bigint) => boolean) | undefined {
  if (abortedTransactions === undefined || abortedTransactions.length === 0) return undefined;
  const upcoming = abortedTransactions
    .map(({ producerId, firstOffset }) => ({ producerId, firstOffset: BigInt(firstOffset) }))
    .toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const open = new Set<string>();
  return ({ batchContext, isControlRecord }, offset) => {
    while (upcoming[0] !== undefined && upcoming[0].firstOffset <= offset) {
      open.add(upcoming[0].producerId);
      upcoming.shift();
    }
    if (batchContext === undefined || !batchContext.inTransaction) return false;
    if (isControlRecord === true) return open.delete(batchContext.producerId);
    return open.has(batchContext.producerId);
  };
}

/** Kafka allows a header twice; the port has one value per name: the last, as Kafka's own `lastHeader` reads it. */
function headersOf(headers: FetchedMessage['headers']): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    found[name] = last?.toString('utf8') ?? '';
  }
  return found;
}

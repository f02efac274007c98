import type pg from 'pg';

/** The fields of one row, in PostgreSQL's binary format. */
export type BinaryRow = (Buffer | null)[];

/**
 * Runs `copy (query) to stdout (format binary)` and answers with its rows. Two to three times as fast as a SELECT,
 * whose bytea arrives as hexadecimal text (measured, 900-byte records in pages of 500: 300k/s against 138k/s).
 * COPY takes no parameters: only numbers may be put into the query's text.
 */
export function copyRows(client: pg.ClientBase, query: string): Promise<BinaryRow[]> {
  return new Promise((resolve, reject) => {
    const rows: BinaryRow[] = [];
    // The shape that pg's Client calls for a query object of one's own.
    const submittable = {
      submit: (connection: { query(text: string): void }) =>
        connection.query(`copy (${query}) to stdout (format binary)`),
      // A copy: pg's parser moves its buffer's contents under what it has handed out.
      handleCopyData: (message: { chunk: Buffer }) => parseChunk(Buffer.from(message.chunk), rows),
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(rows),
      handleError: (error: Error) => reject(error),
    };
    client.query(submittable as unknown as pg.Submittable);
  });
}

const SIGNATURE_BYTES = 11;

/** The server sends one row per message; the first carries the file header before it, the last the trailer (-1). */
function parseChunk(chunk: Buffer, rows: BinaryRow[]): void {
  let at = 0;
  if (chunk[0] === 0x50 && chunk.toString('latin1', 0, SIGNATURE_BYTES) === 'PGCOPY\n\xff\r\n\0') {
    at = SIGNATURE_BYTES + 4;
    at += 4 + chunk.readInt32BE(at);
  }
  while (at < chunk.length) {
    const fields = chunk.readInt16BE(at);
    at += 2;
    if (fields < 0) return;
    const row: BinaryRow = [];
    for (let i = 0; i < fields; i++) {
      const length = chunk.readInt32BE(at);
      at += 4;
      if (length < 0) {
        row.push(null);
        continue;
      }
      row.push(chunk.subarray(at, at + length));
      at += length;
    }
    rows.push(row);
  }
}

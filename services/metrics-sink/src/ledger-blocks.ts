import type pg from 'pg';

/** A range of one partition that goes into the ledger as one insert. */
export interface Block {
  fromOffset: bigint;
  /** The offset behind the last record of the range. */
  nextOffset: bigint;
  /** True: the ledger has confirmed it. False: it may be in the ledger or not. */
  done: boolean;
}

export interface Place {
  topic: string;
  partition: number;
}

/** Blocks that share an offset with the range, in order. */
export async function blocksWithin(
  tx: pg.ClientBase,
  place: Place,
  range: { fromOffset: bigint; nextOffset: bigint },
): Promise<Block[]> {
  const found = await tx.query<{ from_offset: string; next_offset: string; done: boolean }>(
    `select from_offset, next_offset, done from palimpsest.ledger_blocks
     where topic = $1 and partition = $2 and next_offset > $3 and from_offset < $4 order by from_offset`,
    [place.topic, place.partition, range.fromOffset, range.nextOffset],
  );
  return found.rows.map((row) => ({
    fromOffset: BigInt(row.from_offset),
    nextOffset: BigInt(row.next_offset),
    done: row.done,
  }));
}

/** Fixes a range before it is sent: whoever sends it again sends the same. */
export async function writeBlock(tx: pg.ClientBase, place: Place, block: Block): Promise<void> {
  await tx.query(
    `insert into palimpsest.ledger_blocks (topic, partition, from_offset, next_offset, done)
     values ($1, $2, $3, $4, false)`,
    [place.topic, place.partition, block.fromOffset, block.nextOffset],
  );
}

/**
 * Notes that the ledger has these blocks, and forgets settled ones that end where they begin or before: no batch can
 * reach them any more.
 */
export async function settleBlocks(tx: pg.ClientBase, place: Place, blocks: readonly Block[]): Promise<void> {
  const starts = blocks.map((block) => block.fromOffset);
  await tx.query(
    `update palimpsest.ledger_blocks set done = true
     where topic = $1 and partition = $2 and from_offset = any($3::bigint[])`,
    [place.topic, place.partition, starts],
  );
  await tx.query(
    `delete from palimpsest.ledger_blocks
     where topic = $1 and partition = $2 and next_offset <= $3 and done`,
    [place.topic, place.partition, starts[0]],
  );
}

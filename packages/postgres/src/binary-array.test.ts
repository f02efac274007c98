import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { byteaArray, float8Array, int4Array, int8Array, textArray, uuidArray } from './binary-array.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

describe('binary arrays', () => {
  it('come back from Postgres as they were', async () => {
    const row = fc.record({
      text: fc.option(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))),
      bytes: fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
      uuid: fc.uuid(),
      small: fc.integer(),
      big: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      real: fc.double({ noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        const result = await database.pool.query(
          'select * from unnest($1::text[], $2::bytea[], $3::uuid[], $4::int4[], $5::int8[], $6::float8[]) as r (text, bytes, uuid, small, big, real)',
          [
            textArray(rows.map((one) => one.text)),
            byteaArray(rows.map((one) => one.bytes)),
            uuidArray(rows.map((one) => one.uuid)),
            int4Array(rows.map((one) => one.small)),
            int8Array(rows.map((one) => one.big)),
            float8Array(rows.map((one) => one.real)),
          ],
        );
        expect(result.rows).toEqual(rows.map((one) => ({ ...one, big: one.big.toString() })));
      }),
      { numRuns: 50 },
    );
  });
});

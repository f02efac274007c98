export { byteaArray, float8Array, int4Array, int8Array, textArray, uuidArray } from './binary-array.js';
export { inTransaction } from './in-transaction.js';
export { openPool, type OpenPool } from './open-pool.js';

import { DEFAULT_LIMITS, type Engine } from './engine.js';

/** Statements of ours over a whole ledger: longer than a query of an analyst may take. */
const OWN_LIMITS = { ...DEFAULT_LIMITS, max_execution_time: 3600, max_memory_usage: 8_000_000_000 };

/** Rows of all tenants as objects, for statements of ours; 64-bit numbers may come as text. */
export async function readAll<T>(engine: Engine, query: string): Promise<T[]> {
  const text = await engine.read(query, 'JSONEachRow', { tenant: null, limits: OWN_LIMITS });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

/** A value inside a statement: as hex it cannot be anything but a value, whatever it holds. */
export function literal(text: string): string {
  return `unhex('${Buffer.from(text).toString('hex')}')`;
}

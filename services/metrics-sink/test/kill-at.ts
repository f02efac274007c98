import type { Ledger } from '@palimpsest/ledger';
import { FatalError } from '@palimpsest/runtime';
import type pg from 'pg';
import type { SinkWorld } from './sink-world.js';

/**
 * A ledger and a pool that die together at the n-th step they are asked for: with `lost`, after the step took effect.
 * Once dead they do nothing any more, as a killed process does.
 */
export function killAt(world: SinkWorld, step: number, lost: boolean): { ledger: Ledger; pool: pg.Pool } {
  let left = step;
  let dead = false;
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw new FatalError('dead');
    if (left-- > 0) return await work();
    dead = true;
    if (lost) await work();
    throw new FatalError(`killed at step ${step}`);
  };
  const ledger = world.around(async (block) => {
    await guarded(() => world.store.ledger.insertBlock(block));
  });
  const pool = new Proxy(world.pool, {
    get(target, name) {
      if (name !== 'connect') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async () => guardedClient(await target.connect(), guarded);
    },
  });
  return { ledger, pool };
}

function guardedClient(
  client: pg.PoolClient,
  guarded: <T>(work: () => Promise<T>) => Promise<T>,
): pg.PoolClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return (...args: unknown[]) =>
        args[0] === 'rollback'
          ? value.apply(target, args)
          : guarded(() => value.apply(target, args) as Promise<unknown>);
    },
  });
}

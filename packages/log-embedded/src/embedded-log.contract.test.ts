import { registerLogContract } from '@palimpsest/log/contract';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/harness/postgres.js';
import { createEmbeddedLog, type EmbeddedLog } from './index.js';

registerLogContract('the embedded log', async () => {
  const database = await freshDatabase();
  const others: { log: EmbeddedLog; pool: Pool }[] = [];
  const log = await createEmbeddedLog({ pool: database.pool, listen: database.url });
  return {
    log,
    async second() {
      const pool = new Pool({ connectionString: database.url });
      const other = await createEmbeddedLog({ pool, listen: database.url });
      others.push({ log: other, pool });
      return other;
    },
    async cleanup() {
      await log.close();
      for (const other of others) {
        await other.log.close();
        await other.pool.end();
      }
      await database.drop();
    },
  };
});

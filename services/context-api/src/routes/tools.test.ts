import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldInBatches } from '../../../../test/harness/fold-in-batches.js';
import { strategyOf } from '../../../../test/harness/fold-in-memory.js';
import { History } from '../../../../test/harness/histories.js';
import { startTestApi, type TestApi } from '../testing/test-api.js';

let server: TestApi;
const ids: string[] = [];
beforeAll(async () => {
  server = await startTestApi();
  const history = new History('c');
  history.tools([{ name: 'find orders', summary: 'Finds.', schema: { type: 'object', old: true } }]);
  history.tools([{ name: 'find orders', summary: 'Finds.', schema: { type: 'object' }, phases: ['one'] }]);
  history.message('user', 'hi');
  ids.push(
    history.patch('t1', '{"goal":"a","order":12345678901234567890}', [
      '00000000-0000-4000-8000-00000000000a',
    ]),
  );
  history.phase('t1', 'one');
  history.patch('t2', { goal: 'b' });
  history.patch('t1', 'no json');
  await foldInBatches(server.pool, strategyOf('name: s\n'), history.events);
});
afterAll(() => server.close());

describe('a declared tool', () => {
  it('is answered with its whole schema, as declared last', async () => {
    const response = await server.get('/v1/tools/c/find%20orders');
    expect(response.json()).toEqual({
      name: 'find orders',
      summary: 'Finds.',
      phases: ['one'],
      schema: { type: 'object' },
    });
  });

  it('is not there for another tenant, another conversation or another name', async () => {
    const other = { authorization: `Bearer ${await server.key('other')}` };
    expect((await server.get('/v1/tools/c/find%20orders', other)).statusCode).toBe(404);
    expect((await server.get('/v1/tools/d/find%20orders')).statusCode).toBe(404);
    expect((await server.get('/v1/tools/c/find')).statusCode).toBe(404);
  });
});

describe('the working state', () => {
  it('is answered by task, the one spoken of last first, with what every field came from', async () => {
    const response = await server.get('/v1/conversations/c/state');
    expect(response.body).toContain('"order":12345678901234567890');
    expect(response.json().tasks).toMatchObject([
      {
        task_id: 't1',
        state: { goal: 'a', phase: 'one' },
        sources: { goal: ['00000000-0000-4000-8000-00000000000a'] },
        ignored_patches: 1,
      },
      { task_id: 't2', state: { goal: 'b' } },
    ]);
  });

  it('is answered of one task', async () => {
    const response = await server.get('/v1/conversations/c/state?task_id=t2');
    expect(response.json().tasks).toHaveLength(1);
  });

  it('is not there for another tenant', async () => {
    const other = { authorization: `Bearer ${await server.key('other')}` };
    expect((await server.get('/v1/conversations/c/state', other)).statusCode).toBe(404);
  });
});

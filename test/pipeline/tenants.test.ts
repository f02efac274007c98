import { TOPICS } from '@palimpsest/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningStack, runStack } from '../harness/running-stack.js';

const TENANTS = ['acme', 'globex'] as const;
type Tenant = (typeof TENANTS)[number];
const CONVERSATION = 'order/55 %';
const TASK = 'task 55';

let stack: RunningStack;
const keys = {} as Record<Tenant, string>;
beforeAll(async () => {
  stack = await runStack();
  for (const tenant of TENANTS) {
    keys[tenant] = await stack.keyOf(tenant);
    await stack.accept(eventsOf(tenant), keys[tenant]);
  }
  await stack.settled();
});
afterAll(() => stack.close());

const id = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
const mark = (tenant: Tenant): string => `secret-of-${tenant}`;
const outputOf = { acme: 1000, globex: 10 };

/** The same ids for everybody; what is said differs in the tenant's mark only. One text is the same to the byte. */
function eventsOf(tenant: Tenant): object[] {
  const common = { conversation_id: CONVERSATION, task_id: TASK, occurred_at: '2026-11-30T12:00:00Z' };
  const talk = Array.from({ length: 60 }, (_, n) => ({
    ...common,
    type: 'message',
    event_id: id(n),
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: `My email is ${mark(tenant)}-${n}@example.org. We decided to ship order ${n} on 2026-12-0${(n % 9) + 1}.`,
  }));
  return [
    ...talk,
    { ...common, type: 'tool_call', event_id: id(100), call_id: 'c', tool: 'read', arguments: {} },
    { ...common, type: 'tool_result', event_id: id(101), call_id: 'c', content: LONG },
    { ...common, type: 'tool_call', event_id: id(102), call_id: 'd', tool: 'read', arguments: {} },
    { ...common, type: 'tool_result', event_id: id(103), call_id: 'd', content: `${mark(tenant)}\n${LONG}` },
    { ...common, type: 'task_started', event_id: id(104) },
    {
      ...common,
      type: 'step',
      event_id: id(105),
      step_index: 0,
      provider: 'openai',
      model: 'gpt-4o',
      answer_id: 'A',
      request_id: 'R',
      agent: mark(tenant),
      usage: { input: 100, output: outputOf[tenant] },
    },
    { ...common, type: 'task_finished', event_id: id(106), outcome: 'completed' },
  ];
}

const LONG = Array.from({ length: 4000 }, (_, n) => `line ${n} of a long file`).join('\n');

const routes = (of: string): string[] => {
  const conversation = `/v1/conversations/${encodeURIComponent(of)}`;
  return [
    conversation,
    `${conversation}/messages?limit=1000`,
    `${conversation}/summaries`,
    `${conversation}/facts`,
    `${conversation}/context?budget=2000`,
    `${conversation}/context?budget=100000`,
    `/v1/artifacts/${id(0)}`,
    `/v1/artifacts/${id(103)}?conversation=${encodeURIComponent(of)}`,
    `/v1/artifacts/${id(103)}/head`,
    `/v1/artifacts/${id(103)}/lines?from=1&to=10`,
    `/v1/tasks/${encodeURIComponent(TASK)}`,
    '/v1/costs?group_by=agent,strategy,day',
  ];
};

describe('two tenants with the same ids', () => {
  it.each(TENANTS)('never see a byte of the other through any endpoint (%s)', async (tenant) => {
    const other = tenant === 'acme' ? 'globex' : 'acme';
    let marked = 0;
    for (const route of routes(CONVERSATION)) {
      const { status, body } = await stack.ask(route, { key: keys[tenant] });
      expect(status, route).toBe(200);
      const text = JSON.stringify(body);
      expect(text, route).not.toContain(mark(other));
      if (text.includes(mark(tenant))) marked += 1;
    }
    // The marks are where they would be seen: only counts have none.
    expect(marked).toBeGreaterThanOrEqual(9);
  });

  it('have summaries and facts of their own', async () => {
    for (const tenant of TENANTS) {
      for (const list of ['summaries', 'facts']) {
        const { body } = await stack.ask(`/v1/conversations/${encodeURIComponent(CONVERSATION)}/${list}`, {
          key: keys[tenant],
        });
        expect(body[list].length, `${list} of ${tenant}`).toBeGreaterThan(0);
      }
    }
  });

  it('share no artifact, not even one of the same bytes', async () => {
    const rows = await stack.rows<{ tenant: Tenant; artifact_id: string }>(
      'select tenant, artifact_id from palimpsest.artifacts order by tenant, artifact_id',
    );
    expect(rows.filter((row) => row.tenant === 'acme')).toHaveLength(2);
    expect(rows).toHaveLength(4);
    for (const { tenant, artifact_id } of rows) {
      const other = tenant === 'acme' ? 'globex' : 'acme';
      const read = (key: string) => stack.ask(`/v1/artifacts/${artifact_id}`, { key });
      expect((await read(keys[tenant])).status).toBe(200);
      expect((await read(keys[other])).status).toBe(404);
    }
  });

  it('pay for their own steps only', async () => {
    for (const tenant of TENANTS) {
      const { body } = await stack.ask(`/v1/tasks/${encodeURIComponent(TASK)}`, { key: keys[tenant] });
      expect(Number(body.cost)).toBe((100 * 2.5 + outputOf[tenant] * 10) / 1e6);
      expect(Number(body.steps) - Number(body.maintenance_steps)).toBe(1);
      const costs = (await stack.ask('/v1/costs', { key: keys[tenant] })).body.costs as { spend: string }[];
      expect(costs.reduce((sum, row) => sum + Number(row.spend), 0)).toBe(Number(body.cost));
    }
  });

  it.each([
    'select * from steps',
    'select * from step_rows',
    'select * from palimpsest.step_rows final',
    'select * from tasks',
    'select * from task_rows',
    'select * from task_cost',
    'select * from cost_per_completed_task',
    'select * from run_summary',
    'select * from cache_hit_ratio',
    `select * from steps where tenant != '' or 1 = 1`,
    `select * from (select * from step_rows union all select * from step_rows)`,
  ])('see their own rows only in SQL: %s', async (sql) => {
    for (const tenant of TENANTS) {
      const other = tenant === 'acme' ? 'globex' : 'acme';
      const rows = await stack.bill(sql, tenant);
      expect(rows.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows)).not.toContain(other);
    }
  });

  it('cannot name a tenant in what they send', async () => {
    const event = { type: 'message', conversation_id: 'mine', role: 'user', content: 'x' };
    for (const body of [
      { events: [{ ...event, tenant: 'globex' }] },
      { tenant: 'globex', events: [event] },
    ]) {
      expect((await stack.ask('/v1/events', { body, key: keys.acme })).status).toBe(400);
    }
  });

  it('do not disturb each other when one conversation goes on', async () => {
    const before = await stack.ask(
      `/v1/conversations/${encodeURIComponent(CONVERSATION)}/context?budget=4000`,
      {
        key: keys.globex,
      },
    );
    const more = { type: 'message', conversation_id: CONVERSATION, role: 'user', content: 'more' };
    await stack.accept([more], keys.acme);
    await stack.settled();
    const after = await stack.ask(
      `/v1/conversations/${encodeURIComponent(CONVERSATION)}/context?budget=4000`,
      {
        key: keys.globex,
      },
    );
    expect(after.body).toEqual(before.body);
    const tenants = new Set(
      (await stack.recordsOf(TOPICS.messages)).map((record) => record.key?.split('/')[0]),
    );
    expect(tenants).toEqual(new Set(TENANTS));
  });

  it('are refused without a key, with a false one and without the scope', async () => {
    const reader = await stack.keyOf('acme', ['read']);
    const writer = await stack.keyOf('acme', ['ingest']);
    const event = { type: 'message', conversation_id: 'mine', role: 'user', content: 'x' };
    for (const route of routes(CONVERSATION)) {
      expect((await stack.ask(route, { key: 'pk_000000000000_none' })).status).toBe(401);
      expect((await stack.ask(route, { key: writer })).status).toBe(403);
    }
    expect((await stack.ask('/v1/events', { body: { events: [event] }, key: reader })).status).toBe(403);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import confluent from '@kafkajs/confluent-schema-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness/postgres.js';
import { createPostgresRegistry, type PostgresRegistry } from './postgres-registry.js';
import { type RegistryServer, startRegistryServer } from './registry-server.js';

let db: TestDatabase;
let registry: PostgresRegistry;
let server: RegistryServer;
beforeAll(async () => {
  db = await freshDatabase();
  registry = createPostgresRegistry({ pool: db.pool });
  server = await startRegistryServer({ registry });
});
afterAll(async () => {
  await server.stop();
  await db.drop();
});

async function ask(
  method: string,
  path: string,
  body?: string | null,
): Promise<{ status: number; json: unknown }> {
  const response = await fetch(server.url + path, { method, body: body ?? null });
  const text = await response.text();
  return { status: response.status, json: text === '' ? null : JSON.parse(text) };
}

describe('the paths of a Confluent registry', () => {
  it('serve the kafkajs client: register, encode, decode', async () => {
    const { SchemaRegistry, SchemaType } = confluent;
    const client = new SchemaRegistry({ host: server.url }, {});
    const schema = JSON.stringify({
      type: 'record',
      name: 'shop.Order',
      fields: [{ name: 'id', type: 'string' }],
    });
    const options = { subject: 'orders-value', compatibility: 'FULL_TRANSITIVE' as never };
    const { id } = await client.register({ type: SchemaType.AVRO, schema }, options);
    const bytes = await client.encode(id, { id: 'o1' });
    expect(bytes.readUInt32BE(1)).toBe(id);
    expect(await new SchemaRegistry({ host: server.url }, {}).decode(bytes)).toEqual({ id: 'o1' });
  });

  it.each([
    ['POST', '/subjects/s/versions', '{oops', 422],
    ['POST', '/subjects/s/versions', '[]', 422],
    ['POST', '/subjects/s/versions', '{"schema":7}', 422],
    ['POST', '/subjects/s/versions', '{"schema":"\\"int\\"","schemaType":"THRIFT"}', 422],
    ['GET', '/subjects/%E0%A4%A/versions', null, 404],
    ['GET', '/schemas/ids/99999999999', null, 404],
    ['DELETE', '/subjects/s', null, 405],
    ['GET', '/nothing/here', null, 404],
  ])('%s %s with %j answers %i', async (method, path, body, status) => {
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ error_code: expect.any(Number), message: expect.any(String) });
  });

  it('answer 503 while Postgres is away', async () => {
    const away = await freshDatabase();
    const lost = await startRegistryServer({ registry: createPostgresRegistry({ pool: away.pool }) });
    await away.pool.end();
    const response = await fetch(`${lost.url}/subjects`);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ error_code: 50302 }),
    ]);
    await lost.stop();
    await away.drop();
  });
});

interface Exchange {
  label: string;
  request: { method: string; path: string; headers: Record<string, string>; body: string | null };
  response: { status: number; json: unknown };
}
const WIRE = '../shared/data/registry-wire/wire.json';
const available = existsSync(WIRE);
if (!available) console.warn(`${WIRE} is absent: the registry is not held against a recorded one`);

/** What ours answers otherwise on purpose, or does not do yet. */
const OTHERWISE: [pattern: RegExp, why: string][] = [
  [/JSON schema|JSON, fresh|schema with references|encode with references/, 'Avro without references only'],
  [/content-type text|accept text/, 'media types are not looked at'],
  [
    /^(?:delete (?!subject config)|versions after|versions deleted|versions of a deleted)/,
    'nothing is deleted',
  ],
  [
    /^(?:version 2 after soft|schema by id after subject deleted|register again after delete)/,
    'nothing is deleted',
  ],
  [
    /^(?:schemas list|schema by id fetchMaxId|version referencedby|schema types)/,
    'not served, or other types',
  ],
  [/^compatibility all versions/, 'Confluent has this path, the recorded one has not'],
  [/^compatibility unknown subject/, 'names the subject, 40401, as Confluent does'],
  [
    /^(?:health|subjects|unknown|v1\/metadata|contexts|exporters|schema by id, raw|schema by id, subjects)/,
    'own lists',
  ],
  [/^schema by id, versions/, 'names subjects of exchanges that are left out'],
];

describe.skipIf(!available)('a recorded registry', () => {
  it('is answered alike: status, code, ids, versions, keys', async () => {
    const recorded = await freshDatabase();
    const ours = createPostgresRegistry({ pool: recorded.pool });
    await ours.setLevel('BACKWARD');
    const replay = await startRegistryServer({ registry: ours });
    const wire = JSON.parse(available ? readFileSync(WIRE, 'utf8') : '{}') as Record<string, Exchange[]>;
    const differences: unknown[] = [];
    let compared = 0;
    const ids = new Map<unknown, unknown>();
    for (const { label, request, response } of [
      ...(wire.client_exchanges ?? []),
      ...(wire.raw_exchanges ?? []),
    ]) {
      if (OTHERWISE.some(([pattern]) => pattern.test(label))) continue;
      const { method, path, body } = request;
      const asked = path.replace(/(?<=\/schemas\/ids\/)(\d+)/, (id) => String(ids.get(Number(id)) ?? id));
      const answer = await fetch(replay.url + asked, { method, body });
      const given = JSON.parse(await answer.text());
      learnId(ids, response.json, given);
      compared += 1;
      const [theirs, mine] = [shape(response.json, ids), shape(given)];
      if (answer.status !== response.status || JSON.stringify(theirs) !== JSON.stringify(mine)) {
        differences.push({ label, theirs: [response.status, theirs], mine: [answer.status, mine] });
      }
    }
    await replay.stop();
    await recorded.drop();
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(80);
  });
});

/** Ids differ where exchanges are left out: theirs are read as ours from where both are first told. */
function learnId(ids: Map<unknown, unknown>, theirs: unknown, ours: unknown): void {
  const [a, b] = [theirs, ours].map((json) => (json as { id?: unknown } | null)?.id);
  if (a !== undefined && b !== undefined && !ids.has(a)) ids.set(a, b);
}

/** What must be alike: everything but wording and the order of a schema's keys. */
function shape(json: unknown, ids?: Map<unknown, unknown>): unknown {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return json;
  const members = Object.entries(json).map(([key, value]): [string, unknown] => {
    if (key === 'message') return [key, 'a text'];
    if (key === 'messages') return [key, 'texts'];
    if (key === 'id') return [key, ids?.get(value) ?? value];
    if (key === 'schema') return [key, sorted(JSON.parse(String(value)))];
    return [key, value];
  });
  return sorted(Object.fromEntries(members));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, sorted(member)]);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

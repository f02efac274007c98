import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SchemaRegistry } from './schema-registry.js';

export interface RegistryUnderTest {
  registry: SchemaRegistry;
  cleanup(): Promise<void>;
}

const record = (...fields: object[]) => JSON.stringify({ type: 'record', name: 'shop.Order', fields });
const id = { name: 'id', type: 'string' };
const V1 = record(id);
const V2 = record(id, { name: 'note', type: ['null', 'string'], default: null });
const NEEDS_COUNTRY = record(id, { name: 'country', type: 'string' });

const subject = () => `contract-${randomUUID()}`;
const withNote = (type: unknown, more: object) => record(id, { name: 'note', type, ...more });
const bigDefault = (digits: string) =>
  `{"type":"record","name":"shop.Big","fields":[{"name":"n","type":"long","default":${digits}}]}`;

/** Registers the port's tests under `name`. `make` is called once and must give an empty registry. */
export function registerRegistryContract(name: string, make: () => Promise<RegistryUnderTest>): void {
  describe(`the contract of SchemaRegistry, kept by ${name}`, () => {
    let under: RegistryUnderTest;
    beforeAll(async () => {
      under = await make();
    });
    afterAll(async () => under?.cleanup());

    it('gives ids from 1', async () => {
      expect(await under.registry.register(subject(), V1)).toBe(1);
    });

    it('gives one id to one schema, in whatever subject, spacing or order of keys', async () => {
      const { registry } = under;
      const one = subject();
      const given = await registry.register(one, V1);
      expect(await registry.register(one, V1)).toBe(given);
      expect(await registry.register(subject(), V1)).toBe(given);
      const spaced =
        '{ "name": "shop.Order",\n "fields": [{"type": "string", "name": "id"}], "type": "record" }';
      expect(await registry.register(one, spaced)).toBe(given);
      expect((await registry.latest(one)).version).toBe(1);
    });

    it('tells schemas apart by defaults, also where they differ beyond 2^53', async () => {
      const { registry } = under;
      const one = await registry.register(subject(), bigDefault('9007199254740993'));
      const other = await registry.register(subject(), bigDefault('9007199254740992'));
      expect(one).not.toBe(other);
      expect(await registry.schemaById(one)).toContain('9007199254740993');
    });

    it('counts versions from 1 and knows the latest', async () => {
      const { registry } = under;
      const one = subject();
      await registry.register(one, V1);
      const second = await registry.register(one, V2);
      const latest = await registry.latest(one);
      expect(latest).toMatchObject({ id: second, version: 2 });
      expect(JSON.parse(latest.schema)).toEqual(JSON.parse(V2));
      expect(JSON.parse(await registry.schemaById(second))).toEqual(JSON.parse(V2));
    });

    it('finds the id of a schema only in its own subject', async () => {
      const { registry } = under;
      const one = subject();
      const given = await registry.register(one, V1);
      expect(await registry.idOf(one, V1)).toBe(given);
      await expect(registry.idOf(one, V2)).rejects.toMatchObject({ errorCode: 40403, retryable: false });
      await expect(registry.idOf(subject(), V1)).rejects.toMatchObject({ errorCode: 40401 });
    });

    it('refuses what does not go with an earlier version, and changes nothing', async () => {
      const { registry } = under;
      const one = subject();
      await registry.register(one, V1);
      await expect(registry.register(one, NEEDS_COUNTRY)).rejects.toMatchObject({
        errorCode: 409,
        status: 409,
        retryable: false,
      });
      expect((await registry.latest(one)).version).toBe(1);
      await expect(registry.idOf(one, NEEDS_COUNTRY)).rejects.toMatchObject({ errorCode: 40403 });
    });

    it('checks against all versions, not only the latest', async () => {
      const { registry } = under;
      const one = subject();
      await registry.register(one, withNote(['null', 'string'], { default: null }));
      await registry.register(one, V1);
      // goes with the latest, which has no note, but not with the first, whose note is a text
      const checked = await registry.compatible(one, withNote(['null', 'int'], { default: null }));
      expect(checked.ok).toBe(false);
      expect(checked.messages.length).toBeGreaterThan(0);
    });

    it('checks without registering', async () => {
      const { registry } = under;
      const one = subject();
      expect(await registry.compatible(one, V1)).toEqual({ ok: true, messages: [] });
      await expect(registry.latest(one)).rejects.toMatchObject({ errorCode: 40401 });
      await registry.register(one, V1);
      expect((await registry.compatible(one, V2)).ok).toBe(true);
      expect((await registry.compatible(one, NEEDS_COUNTRY)).ok).toBe(false);
      expect((await registry.latest(one)).version).toBe(1);
    });

    it.each(['', '{bad', '{"type":"nonsense"}', '{"type":"record","name":"T"}', 'null'])(
      'names %j as no Avro schema',
      async (text) => {
        const { registry } = under;
        await expect(registry.register(subject(), text)).rejects.toMatchObject({ errorCode: 42201 });
      },
    );

    it('knows no id that was never given', async () => {
      await expect(under.registry.schemaById(999_999)).rejects.toMatchObject({
        errorCode: 40403,
        status: 404,
      });
    });

    it('takes subjects with any characters', async () => {
      const odd = `a b/c?d=%20&e ${randomUUID()}`;
      const given = await under.registry.register(odd, V1);
      expect(await under.registry.idOf(odd, V1)).toBe(given);
    });

    it('gives concurrent callers one id and one version', async () => {
      const { registry } = under;
      const one = subject();
      const text = record(id, { name: `f${randomUUID().replaceAll('-', '')}`, type: 'int', default: 0 });
      const ids = await Promise.all(Array.from({ length: 8 }, () => registry.register(one, text)));
      expect(new Set(ids).size).toBe(1);
      expect((await registry.latest(one)).version).toBe(1);
    });

    it('gives concurrent schemas ids of their own, without a gap in the versions', async () => {
      const { registry } = under;
      const one = subject();
      const texts = Array.from({ length: 6 }, (_, index) =>
        record(id, { name: `f${index}_${randomUUID().slice(0, 8)}`, type: 'int', default: 0 }),
      );
      const ids = await Promise.all(texts.map((text) => registry.register(one, text)));
      expect(new Set(ids).size).toBe(6);
      expect((await registry.latest(one)).version).toBe(6);
    });
  });
}

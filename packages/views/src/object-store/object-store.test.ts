import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFileObjectStore } from './file-object-store.js';
import { type ObjectStore, objectKey } from './object-store.js';
import { openObjectStore } from './open-object-store.js';
import { createS3ObjectStore } from './s3-object-store.js';
import { signRequest } from './sign-request.js';
import { FAKE_REGION, type FakeS3, startFakeS3 } from './testing/fake-s3.js';

const credentials = { keyId: 'key', secret: 'secret/+' };
let s3: FakeS3;
let folder: string;
beforeAll(async () => {
  s3 = await startFakeS3(credentials, 'originals');
});
afterAll(() => s3.close());
beforeEach(async () => {
  s3.objects.clear();
  s3.failNext.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'objects-'));
});
afterEach(() => rm(folder, { recursive: true }));

const overS3 = (more: object = {}) =>
  createS3ObjectStore({
    ...credentials,
    bucket: 'originals',
    prefix: 'a/b',
    region: FAKE_REGION,
    endpoint: s3.endpoint,
    pause: () => Promise.resolve(),
    ...more,
  });
const stores: [string, () => ObjectStore][] = [
  ['files', () => createFileObjectStore(join(folder, 'objects'))],
  ['S3', () => overS3()],
];
const key = (n: number) => objectKey('acme', `${n}${'abcdef0123456789'.repeat(2)}`);
const all = async (store: ObjectStore) => {
  const keys: string[] = [];
  for await (const one of store.list()) keys.push(one);
  return keys.toSorted();
};

describe.each(stores)('an object store over %s', (_, open) => {
  it('gives back the bytes that were put, whatever they are', async () => {
    const store = open();
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from([0, 255, 10, 13]),
      Buffer.from('їжак 👍'.repeat(10_000)),
    ]) {
      await store.put(key(1), bytes);
      expect(Buffer.from((await store.get(key(1))) ?? [])).toEqual(bytes);
    }
  });

  it('takes the same object twice, also at once', async () => {
    const store = open();
    await Promise.all([1, 2, 3].map(() => store.put(key(1), Buffer.from('same'))));
    expect(await all(store)).toEqual([key(1)]);
  });

  it('answers null for what is not there, and removes it all the same', async () => {
    const store = open();
    expect(await store.get(key(1))).toBeNull();
    await store.remove(key(1));
    await store.put(key(1), Buffer.from('x'));
    await store.remove(key(1));
    expect(await store.get(key(1))).toBeNull();
  });

  it('lists every object, and nothing where there is none', async () => {
    const store = open();
    expect(await all(store)).toEqual([]);
    for (let n = 0; n < 5; n += 1) await store.put(key(n), Buffer.from(String(n)));
    expect(await all(store)).toEqual([0, 1, 2, 3, 4].map(key).toSorted());
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'a', '', 'ABCDEF0123456789/ab/abcd', `${key(1)}/..`])(
    'refuses %j as a key',
    async (odd) => {
      const store = open();
      await expect((async () => store.put(odd, Buffer.from('x')))()).rejects.toThrow(RangeError);
      await expect((async () => store.get(odd))()).rejects.toThrow(RangeError);
      await expect((async () => store.remove(odd))()).rejects.toThrow(RangeError);
    },
  );
});

describe('objectKey', () => {
  it('keeps tenants apart and takes any artifact id', () => {
    expect(objectKey('acme', 'abcd')).not.toBe(objectKey('other', 'abcd'));
    expect(objectKey('../..', '../../etc')).toMatch(/^[0-9a-f]{16}\/[0-9a-f]{2}\/[0-9a-f]{64}$/);
  });
});

describe('files', () => {
  it('that are not finished or not ours are no objects', async () => {
    const store = createFileObjectStore(folder);
    await store.put(key(1), Buffer.from('x'));
    const inside = join(folder, ...key(1).split('/').slice(0, -1));
    await writeFile(join(inside, 'abcdef.1.part'), 'half');
    await writeFile(join(folder, 'README'), 'not ours');
    expect(await all(store)).toEqual([key(1)]);
    expect(await readdir(inside)).toHaveLength(2);
  });

  it('say where a write failed', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(createFileObjectStore(join(folder, 'file')).put(key(1), Buffer.from('x'))).rejects.toThrow(
      /file/,
    );
  });
});

describe('S3', () => {
  it('is signed as AWS signs it', () => {
    // The example "GET Bucket (List Objects)" of the signature's documentation.
    const headers = signRequest(
      {
        method: 'GET',
        url: new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J'),
        body: new Uint8Array(),
        region: 'us-east-1',
      },
      { keyId: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      new Date('2013-05-24T00:00:00Z'),
    );
    expect(headers['authorization']).toContain(
      'Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });

  it('is asked again after a passing failure, a bounded number of times', async () => {
    s3.failNext.push(503, 500, 429);
    await overS3().put(key(1), Buffer.from('x'));
    expect(s3.objects.size).toBe(1);
    s3.failNext.push(503, 503, 503, 503);
    await expect(overS3().get(key(1))).rejects.toThrow(/Failure503/);
    expect(s3.failNext).toEqual([]);
  });

  it('is not asked again when it refuses, and the error says what to check', async () => {
    const before = s3.requests;
    await expect(overS3({ secret: 'wrong' }).put(key(1), Buffer.from('x'))).rejects.toThrow(
      /SignatureDoesNotMatch.*Check the key/,
    );
    expect(s3.requests).toBe(before + 1);
    await expect(overS3({ bucket: 'missing' }).put(key(1), Buffer.from('x'))).rejects.toThrow(
      /no bucket missing/,
    );
  });

  it('that does not answer is named', async () => {
    await expect(overS3({ endpoint: 'http://127.0.0.1:1' }).get(key(1))).rejects.toThrow(
      /no answer from bucket originals/,
    );
  });

  it('leaves alone what else lies in the bucket', async () => {
    s3.objects.set('originals/a/b/notes.txt', Buffer.from('x'));
    s3.objects.set(`originals/elsewhere/${key(2)}`, Buffer.from('x'));
    const store = overS3();
    await store.put(key(1), Buffer.from('x'));
    expect(await all(store)).toEqual([key(1)]);
  });
});

describe('openObjectStore', () => {
  const none = { keyId: null, secret: null };

  it('opens what the address names', () => {
    expect(openObjectStore({ url: null, ...none })).toBeNull();
    expect(openObjectStore({ url: 'file:///data/objects', ...none })?.place).toBe('files in /data/objects');
    const address = 's3://originals/a/b?region=eu-test-1&endpoint=http://127.0.0.1:9000';
    expect(openObjectStore({ url: address, ...credentials })?.place).toBe(
      'bucket originals at http://127.0.0.1:9000',
    );
  });

  it.each([
    ['/data/objects', /file:\/\/\/folder/],
    ['https://x/y', /s3:\/\/bucket/],
    ['s3:///prefix', /s3:\/\/bucket/],
    ['s3://originals', /key id and a secret/],
  ])('refuses %s and says how it should be', (url, message) => {
    expect(() => openObjectStore({ url, ...none })).toThrow(message);
  });
});

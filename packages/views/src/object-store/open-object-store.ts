import { fileURLToPath } from 'node:url';
import { createFileObjectStore } from './file-object-store.js';
import type { ObjectStore } from './object-store.js';
import { createS3ObjectStore } from './s3-object-store.js';

export interface ObjectStoreSettings {
  /**
   * `file:///data/objects`, or `s3://bucket/prefix?region=eu-central-1&endpoint=http://minio:9000`; null = no store,
   * every original stays in Postgres.
   */
  url: string | null;
  keyId: string | null;
  secret: string | null;
}

/** The store that the settings name, or null. Throws an error that says which setting is wrong and how it should be. */
export function openObjectStore(settings: ObjectStoreSettings): ObjectStore | null {
  if (settings.url === null) return null;
  let url: URL;
  try {
    url = new URL(settings.url);
  } catch (cause) {
    throw new Error(`The object store's address is no URL: ${WANTED}.`, { cause });
  }
  if (url.protocol === 'file:') return createFileObjectStore(fileURLToPath(url));
  if (url.protocol !== 's3:' || url.hostname === '') {
    throw new Error(`The object store's address begins with "${url.protocol}": ${WANTED}.`);
  }
  if (settings.keyId === null || settings.secret === null) {
    throw new Error('An object store at s3:// needs a key id and a secret: set both.');
  }
  return createS3ObjectStore({
    bucket: url.hostname,
    prefix: url.pathname.replaceAll(/^\/+|\/+$/g, ''),
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    keyId: settings.keyId,
    secret: settings.secret,
  });
}

const WANTED = 'give file:///folder or s3://bucket/prefix?region=…&endpoint=…';

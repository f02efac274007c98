import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { assertKey, isKey, type ObjectStore } from './object-store.js';

/** Ends the names of files that are being written; such a name is no key. */
const UNFINISHED = '.part';

/** Objects as files under `root`, which is made when it is missing. Written aside, synced, then renamed into place. */
export function createFileObjectStore(root: string): ObjectStore {
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(root, ...key.split('/'));
  };
  return {
    place: `files in ${root}`,
    async put(key, bytes) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true });
      const aside = `${path}.${randomUUID()}${UNFINISHED}`;
      try {
        const file = await open(aside, 'wx');
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(aside, path);
        await syncFolder(dirname(path));
      } catch (cause) {
        await rm(aside, { force: true });
        throw new Error(
          `An original could not be written to ${path}: is the disk full, or not ours to write?`,
          {
            cause,
          },
        );
      }
    },
    async get(key) {
      try {
        return await readFile(pathOf(key));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async *list() {
      let folder: Awaited<ReturnType<typeof opendir>>;
      try {
        folder = await opendir(root, { recursive: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
        throw error;
      }
      for await (const entry of folder) {
        if (!entry.isFile()) continue;
        const path = relative(root, join(entry.parentPath, entry.name));
        const key = path.split(sep).join('/');
        if (isKey(key)) yield key;
      }
    },
  };
}

/** Makes the new name last through a crash. Not every system lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  if (folder === null) return;
  await folder.sync().catch(() => undefined);
  await folder.close();
}

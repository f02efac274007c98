import type { CompatibilityLevel } from './check-compatibility.js';
import { requestRegistry } from './request-registry.js';
import { RegistryError } from './registry-error.js';
import type { SchemaRegistry } from './schema-registry.js';

export interface RegistryClientOptions {
  /** `http://user:password@registry:8081`; name and password go into a Basic header. */
  url: string;
  /** For one answer. 5 seconds by default. */
  timeoutMs?: number;
  /**
   * Level to set for a subject before its first registration. Without it the registry's own holds, which for Confluent's
   * is BACKWARD: less than replaying history for years asks for.
   */
  compatibility?: CompatibilityLevel;
}

/**
 * Any registry that speaks Confluent's REST paths. What cannot change is kept: schema by id, id by subject and schema;
 * a failure never is. One question for one thing goes out at a time, however many ask it.
 */
export function createRegistryClient(options: RegistryClientOptions): SchemaRegistry {
  const schemas = createMemo<string>();
  const ids = createMemo<number>();
  const prepared = createMemo<void>();
  const ask = requestRegistry(options);

  async function prepare(subject: string): Promise<void> {
    const { compatibility } = options;
    if (compatibility === undefined) return;
    await prepared(subject, async () => {
      await ask('PUT', `/config/${encodeURIComponent(subject)}`, { compatibility });
    });
  }

  return {
    async register(subject, schema) {
      await prepare(subject);
      const path = `/subjects/${encodeURIComponent(subject)}/versions`;
      return numberIn(await ask('POST', path, { schema }), 'id');
    },
    schemaById(id) {
      return schemas(String(id), async () => textIn(await ask('GET', `/schemas/ids/${id}`), 'schema'));
    },
    idOf(subject, schema) {
      return ids(JSON.stringify([subject, schema]), async () =>
        numberIn(await ask('POST', `/subjects/${encodeURIComponent(subject)}`, { schema }), 'id'),
      );
    },
    async latest(subject) {
      const found = await ask('GET', `/subjects/${encodeURIComponent(subject)}/versions/latest`);
      return {
        id: numberIn(found, 'id'),
        version: numberIn(found, 'version'),
        schema: textIn(found, 'schema'),
      };
    },
    async compatible(subject, schema) {
      const messages: string[] = [];
      let ok = true;
      // one by one: not every registry has the path that checks against all versions
      for (const version of await versionsOf(subject)) {
        const path = `/compatibility/subjects/${encodeURIComponent(subject)}/versions/${version}?verbose=true`;
        const checked = (await ask('POST', path, { schema })) as {
          is_compatible?: unknown;
          messages?: unknown;
        };
        if (checked.is_compatible === true) continue;
        ok = false;
        if (Array.isArray(checked.messages)) messages.push(...checked.messages.map(String));
      }
      return { ok, messages };
    },
  };

  async function versionsOf(subject: string): Promise<number[]> {
    try {
      return (await ask('GET', `/subjects/${encodeURIComponent(subject)}/versions`)) as number[];
    } catch (error) {
      if (error instanceof RegistryError && error.errorCode === 40401) return [];
      throw error;
    }
  }
}

/** Answers by key; a failure is forgotten at once, so that the next call asks again. */
function createMemo<T>(): (key: string, question: () => Promise<T>) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (key, question) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const asked = question();
    answers.set(key, asked);
    asked.catch(() => answers.delete(key));
    return asked;
  };
}

function numberIn(answer: unknown, member: string): number {
  const value = (answer as Record<string, unknown> | null)?.[member];
  if (typeof value === 'number') return value;
  throw new RegistryError(500, `The registry's answer has no number "${member}": is it a schema registry?`);
}

function textIn(answer: unknown, member: string): string {
  const value = (answer as Record<string, unknown> | null)?.[member];
  if (typeof value === 'string') return value;
  throw new RegistryError(500, `The registry's answer has no text "${member}": is it a schema registry?`);
}

import {
  COMPATIBILITY_LEVELS,
  type CompatibilityLevel,
  DEFAULT_COMPATIBILITY,
  isCompatibilityLevel,
} from './check-compatibility.js';
import type { PostgresRegistry } from './postgres-registry.js';
import { RegistryError } from './registry-error.js';
import type { Compatibility, RegisteredSchema } from './schema-registry.js';

export interface RegistryRequest {
  method: string;
  /** Path and query. */
  url: string;
  body: Record<string, unknown>;
}

interface Asked {
  registry: PostgresRegistry;
  /** The parts of the path that the route leaves open, decoded. */
  parts: string[];
  body: Record<string, unknown>;
}

/** The body of the answer to one request; everything that is not 200 is thrown as RegistryError. */
export async function answerRoute(registry: PostgresRegistry, request: RegistryRequest): Promise<unknown> {
  const path = new URL(request.url, 'http://registry').pathname;
  let pathExists = false;
  for (const [method, pattern, handler] of ROUTES) {
    const match = pattern.exec(path);
    if (match === null) continue;
    pathExists = true;
    if (method === request.method) {
      return handler({ registry, parts: match.slice(1).map(decode), body: request.body });
    }
  }
  if (pathExists) throw new RegistryError(405, 'HTTP 405 Method Not Allowed');
  throw new RegistryError(404, 'HTTP 404 Not Found');
}

type Route = readonly [method: string, pattern: RegExp, handler: (asked: Asked) => Promise<unknown>];

const ROUTES: readonly Route[] = [
  ['GET', /^\/$/, async () => ({})],
  ['GET', /^\/subjects$/, ({ registry }) => registry.subjects()],
  ['POST', /^\/subjects\/([^/]+)$/, lookUp],
  ['GET', /^\/subjects\/([^/]+)\/versions$/, listVersions],
  ['POST', /^\/subjects\/([^/]+)\/versions$/, register],
  ['GET', /^\/subjects\/([^/]+)\/versions\/([^/]+)$/, showVersion],
  [
    'GET',
    /^\/subjects\/([^/]+)\/versions\/([^/]+)\/schema$/,
    async (asked) => JSON.parse((await atVersion(asked)).schema),
  ],
  ['GET', /^\/schemas\/types$/, async () => ['AVRO']],
  [
    'GET',
    /^\/schemas\/ids\/([^/]+)$/,
    async (asked) => ({ schema: await asked.registry.schemaById(idIn(asked)) }),
  ],
  ['GET', /^\/schemas\/ids\/([^/]+)\/versions$/, (asked) => asked.registry.usesOf(idIn(asked))],
  ['POST', /^\/compatibility\/subjects\/([^/]+)\/versions$/, checkAll],
  ['POST', /^\/compatibility\/subjects\/([^/]+)\/versions\/([^/]+)$/, checkOne],
  [
    'GET',
    /^\/config$/,
    async ({ registry }) => ({ compatibilityLevel: (await registry.level()) ?? DEFAULT_COMPATIBILITY }),
  ],
  ['PUT', /^\/config$/, setLevel],
  ['GET', /^\/config\/([^/]+)$/, showLevel],
  ['PUT', /^\/config\/([^/]+)$/, setLevel],
  ['DELETE', /^\/config\/([^/]+)$/, removeLevel],
  ['GET', /^\/mode(?:\/[^/]+)?$/, async () => ({ mode: 'READWRITE' })],
];

async function register(asked: Asked): Promise<{ id: number }> {
  return { id: await asked.registry.register(subjectIn(asked), schemaIn(asked)) };
}

async function lookUp(asked: Asked): Promise<object> {
  const subject = subjectIn(asked);
  return shown(subject, await asked.registry.find(subject, schemaIn(asked)));
}

async function listVersions(asked: Asked): Promise<number[]> {
  return (await asked.registry.versions(subjectIn(asked))).map(({ version }) => version);
}

async function showVersion(asked: Asked): Promise<object> {
  return shown(subjectIn(asked), await atVersion(asked));
}

async function atVersion(asked: Asked): Promise<RegisteredSchema> {
  const version = versionIn(asked);
  const subject = subjectIn(asked);
  return version === 'latest' ? asked.registry.latest(subject) : asked.registry.version(subject, version);
}

async function checkAll(asked: Asked): Promise<object> {
  return verdict(await asked.registry.compatible(subjectIn(asked), schemaIn(asked)));
}

async function checkOne(asked: Asked): Promise<object> {
  const schema = schemaIn(asked);
  const { version } = await atVersion(asked);
  return verdict(await asked.registry.compatibleWith(subjectIn(asked), version, schema));
}

async function showLevel(asked: Asked): Promise<object> {
  const subject = subjectIn(asked);
  const level = await asked.registry.level(subject);
  if (level !== undefined) return { compatibilityLevel: level };
  await asked.registry.versions(subject);
  throw new RegistryError(40408, `Subject '${subject}' does not have subject-level compatibility configured`);
}

async function setLevel(asked: Asked): Promise<object> {
  const level = asked.body.compatibility;
  if (level === undefined) throw new RegistryError(422, 'The body needs a field "compatibility"');
  if (!isCompatibilityLevel(level)) {
    throw new RegistryError(
      42203,
      `Invalid compatibility level. Valid values are ${COMPATIBILITY_LEVELS.join(', ')}`,
    );
  }
  await asked.registry.setLevel(level, asked.parts[0]);
  return { compatibility: level };
}

/** Answers the level that holds from now on. */
async function removeLevel(asked: Asked): Promise<{ compatibility: CompatibilityLevel }> {
  await asked.registry.setLevel(undefined, subjectIn(asked));
  return { compatibility: (await asked.registry.level()) ?? DEFAULT_COMPATIBILITY };
}

function shown(subject: string, { id, version, schema }: RegisteredSchema): object {
  return { subject, version, id, schema };
}

function verdict({ ok, messages }: Compatibility): object {
  return ok ? { is_compatible: true } : { is_compatible: false, messages };
}

function subjectIn({ parts }: Asked): string {
  return parts[0] as string;
}

function schemaIn({ body }: Asked): string {
  const type = body.schemaType ?? 'AVRO';
  if (type === 'JSON' || type === 'PROTOBUF') {
    throw new RegistryError(42201, `Schemas of type ${type} are not supported: AVRO is`);
  }
  if (type !== 'AVRO') throw new RegistryError(422, 'The field "schemaType" should be \'AVRO\'');
  if (Array.isArray(body.references) && body.references.length > 0) {
    throw new RegistryError(
      42201,
      'References between schemas are not supported: write the type where it is used',
    );
  }
  if (typeof body.schema !== 'string') throw new RegistryError(422, 'The body needs a text "schema"');
  return body.schema;
}

function idIn({ parts }: Asked): number {
  const [text = ''] = parts;
  if (!/^\d+$/.test(text)) throw new RegistryError(404, 'HTTP 404 Not Found');
  return Number(text);
}

function versionIn({ parts }: Asked): number | 'latest' {
  const text = parts[1] as string;
  if (text === 'latest' || text === '-1') return 'latest';
  const version = /^\d+$/.test(text) ? Number(text) : 0;
  if (version >= 1 && version < 2 ** 31) return version;
  const allowed = 'Allowed values are between [1, 2^31-1] and the string "latest"';
  throw new RegistryError(42202, `The specified version '${text}' is not a valid version id. ${allowed}`);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new RegistryError(404, 'HTTP 404 Not Found', { cause });
  }
}

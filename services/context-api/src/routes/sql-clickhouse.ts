import { randomUUID } from 'node:crypto';
import {
  DEFAULT_LIMITS,
  formatNamed,
  type LedgerFormat,
  QueryRefusedError,
  splitFormat,
} from '@palimpsest/ledger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tenantOf } from '../authorize.js';
import type { ContextApiOptions, LedgerTextOptions } from '../options.js';

/** A query of the API is as long at most. */
const MAX_QUERY_BYTES = 256 * 1024;

/**
 * `/v1/clickhouse`: ClickHouse's HTTP interface as far as reading text goes, for its own client, curl, Grafana and BI
 * tools. The key is the password, its tenant the only one there is. What is not read-only, or would lift a limit, is
 * refused with ClickHouse's error codes.
 */
export function clickhouseRoutes(app: FastifyInstance, options: ContextApiOptions): void {
  app.register(async (served) => {
    served.removeAllContentTypeParsers();
    // Clients name all kinds of types for a query, or none.
    const parser = { parseAs: 'string' as const, bodyLimit: MAX_QUERY_BYTES };
    served.addContentTypeParser('*', parser, async (_request: FastifyRequest, body: string) => body);
    // Clients put a "/" behind a path, or do not.
    const places = ['/v1/clickhouse', '/v1/clickhouse/'].flatMap((url) => [
      { method: 'GET' as const, url },
      { method: 'POST' as const, url },
    ]);
    for (const place of places) {
      served.route<{ Querystring: Record<string, unknown>; Body: string | undefined }>({
        ...place,
        config: { scope: 'read', keyAsPassword: true },
        schema: { summary: 'Ask the ledger as ClickHouse is asked over HTTP, read-only' },
        handler: (request, reply) => answer(options, request, reply),
      });
    }
    served.route({
      method: 'GET',
      url: '/v1/clickhouse/ping',
      config: { scope: 'read', keyAsPassword: true },
      schema: { summary: 'Ok.' },
      handler: async (_request, reply) => reply.type('text/plain').send('Ok.\n'),
    });
  });
}

async function answer(
  options: ContextApiOptions,
  request: FastifyRequest<{ Querystring: Record<string, unknown>; Body: string | undefined }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { query_id: given } = request.query;
  reply.header(
    'x-clickhouse-query-id',
    typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : randomUUID(),
  );
  const inUrl = textOf(request.query['query']);
  const sql = [inUrl, request.body ?? ''].filter((part) => part.trim() !== '').join('\n');
  if (sql === '') return reply.type('text/plain').send('Ok.\n');
  try {
    const { query, ...asked } = readQuestion(sql, request.query);
    if (options.ledger?.text === undefined) {
      throw new RefusedError(210, 'NETWORK_ERROR', 'This server has no ledger: ask ClickHouse itself.');
    }
    const text = await options.ledger.text(tenantOf(request), query, asked);
    return reply.header('x-clickhouse-format', asked.format).type(contentTypeOf(asked.format)).send(text);
  } catch (error) {
    const { code, type, message } = exceptionOf(error);
    return reply
      .code(400)
      .header('x-clickhouse-exception-code', code)
      .type('text/plain; charset=utf-8')
      .send(`Code: ${code}. DB::Exception: ${message} (${type})\n`);
  }
}

/** An error as ClickHouse numbers and names it. */
class RefusedError extends Error {
  override name = 'RefusedError';
  constructor(
    readonly code: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

function readQuestion(
  sql: string,
  parameters: Readonly<Record<string, unknown>>,
): LedgerTextOptions & { query: string } {
  const { query, format: named } = splitFormat(sql);
  const wanted = named ?? (textOf(parameters['default_format']) || 'TabSeparated');
  const format = formatNamed(wanted);
  if (format === null) {
    throw new RefusedError(
      73,
      'UNKNOWN_FORMAT',
      `Format ${wanted} is not answered here: use JSONEachRow, or CSVWithNames.`,
    );
  }
  const asked: LedgerTextOptions = { format, limits: {}, parameters: {} };
  for (const [name, value] of Object.entries(parameters)) readParameter(asked, name, textOf(value));
  return { query, ...asked };
}

/** What clients send that changes nothing here: progress, compression they can do without, and a promise to read only. */
const HARMLESS = new Set([
  'query',
  'query_id',
  'default_format',
  'user',
  'password',
  'readonly',
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_write_exception_in_output_format',
  'cancel_http_readonly_queries_on_client_close',
  'enable_http_compression',
  'add_http_cors_header',
  'role',
]);
const DATABASES = new Set(['', 'default', 'palimpsest']);

function readParameter(asked: LedgerTextOptions, name: string, value: string): void {
  if (HARMLESS.has(name)) return;
  if (name.startsWith('param_')) {
    asked.parameters = { ...asked.parameters, [name.slice('param_'.length)]: unescaped(value) };
  } else if (name === 'database') {
    if (!DATABASES.has(value))
      throw new RefusedError(81, 'UNKNOWN_DATABASE', `There is no database ${value}.`);
  } else if (isLimit(name)) {
    const limit = Number(value);
    // 0 is "no limit" to ClickHouse.
    if (!(limit > 0 && limit <= DEFAULT_LIMITS[name])) {
      throw new RefusedError(
        452,
        'SETTING_CONSTRAINT_VIOLATION',
        `${name} shouldn't be greater than ${DEFAULT_LIMITS[name]}.`,
      );
    }
    asked.limits = { ...asked.limits, [name]: limit };
  } else {
    throw new RefusedError(164, 'READONLY', `Cannot modify '${name}' setting in readonly mode.`);
  }
}

/** Clients send a parameter's value escaped as in a TabSeparated cell. */
function unescaped(value: string): string {
  const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', 0: '\0', b: '\b', f: '\f' };
  return value.replaceAll(/\\(.)/gs, (_, char: string) => escapes[char] ?? char);
}

function isLimit(name: string): name is keyof typeof DEFAULT_LIMITS {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}

function exceptionOf(error: unknown): { code: number; type: string; message: string } {
  if (error instanceof QueryRefusedError) return { code: 164, type: 'READONLY', message: error.message };
  const { code, type, message } = error as { code?: unknown; type?: unknown; message: string };
  const isKnown = /^\d+$/.test(String(code)) && typeof type === 'string';
  // What the engine says of a query speaks of that query and of tables every tenant has, never of rows.
  return { code: isKnown ? Number(code) : 1002, type: isKnown ? type : 'UNKNOWN_EXCEPTION', message };
}

function contentTypeOf(format: LedgerFormat): string {
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8';
  if (format.startsWith('Tab')) return 'text/tab-separated-values; charset=UTF-8';
  return format.includes('EachRow')
    ? 'application/x-ndjson; charset=UTF-8'
    : 'application/json; charset=UTF-8';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

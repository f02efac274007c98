import pino from 'pino';

/** A pino logger. Log ids, counts and positions; never the text of a message, a prompt, a key or a secret. */
export type Logger = pino.Logger;

export interface LoggerOptions {
  /** The service or part that speaks. */
  name: string;
  /** Default `info`; `silent` says nothing. */
  level?: string;
  /** Default: standard output, one JSON object per line. */
  destination?: pino.DestinationStream;
}

/** Names of fields that could carry what must not be logged: replaced wherever they appear two levels deep. */
const REDACTED = [
  'text',
  'content',
  'value',
  'arguments',
  'patch',
  'prompt',
  'answer',
  'password',
  'token',
  'apiKey',
];

/** JSON lines with time in ISO 8601 and the level as a word. */
export function createLogger(options: LoggerOptions): Logger {
  const settings: pino.LoggerOptions = {
    name: options.name,
    level: options.level ?? 'info',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
    redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: '[not logged]' },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

interface DescribedError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string | undefined;
  cause?: DescribedError;
}

/**
 * An error as type, message, code, stack and causes. Other properties are left out on purpose: a Postgres error's
 * `detail` and `where`, a decoder's or an HTTP client's fields can carry a message's text.
 */
function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const described: DescribedError = { type: error.name, message: error.message };
  if ('code' in error) described.code = error.code;
  described.stack = error.stack;
  if (error.cause !== undefined) described.cause = describeError(error.cause);
  return described;
}

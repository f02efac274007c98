import { FatalError, PoisonError, RetryableError, StaleOwnerError } from './errors.js';

/**
 * | class         | what the consumer does |
 * |---------------|------------------------|
 * | stale         | drops its hot state and asks for the partition anew |
 * | fatal         | stops |
 * | poison        | puts the named record to the dead letters and goes on |
 * | database      | waits as long as it takes; not ready meanwhile; never blames a record |
 * | serialization | tries again, then with smaller batches; never blames a record |
 * | retryable     | the same, for what the handler says can succeed later |
 * | handler       | tries again, then with smaller batches until the record to blame is alone |
 */
export type ErrorClass =
  | 'stale'
  | 'fatal'
  | 'poison'
  | 'database'
  | 'serialization'
  | 'retryable'
  | 'handler';

export function classifyError(error: unknown): ErrorClass {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const found = classOf(cause);
    if (found !== null) return found;
  }
  return 'handler';
}

/** SQLSTATE classes and codes: PostgreSQL manual, appendix A. */
const DATABASE_AWAY = /^(08...|53...|57P0[1-4]|58030|25006|25P03)$/;
const SERIALIZATION = /^(40...|55P03|57014)$/;
/** Wrong schema, rights or credentials: true of every record, so no record may be blamed. */
const DEPLOYMENT = /^(42...|28...|3D000|3F000|0A000)$/;
const NETWORK = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);
/** What pg says without a code when its connection or its pool is gone. */
const CONNECTION_GONE =
  /Connection terminated|not queryable|timeout exceeded when trying to connect|Client was closed|pool after calling end/;

function classOf(error: Error): ErrorClass | null {
  if (error instanceof StaleOwnerError) return 'stale';
  if (error instanceof FatalError) return 'fatal';
  if (error instanceof PoisonError) return 'poison';
  if (error instanceof RetryableError || ('retryable' in error && error.retryable === true))
    return 'retryable';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // Only a database error has a severity: SQLSTATEs are five letters or digits, as other codes may be.
  if ('severity' in error) {
    if (DATABASE_AWAY.test(code)) return 'database';
    if (SERIALIZATION.test(code)) return 'serialization';
    if (DEPLOYMENT.test(code)) return 'fatal';
    return null;
  }
  if (NETWORK.has(code)) return 'database';
  // A server's Unix socket that is not there; any other missing file is the handler's own.
  if (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return 'database';
  return CONNECTION_GONE.test(error.message) ? 'database' : null;
}

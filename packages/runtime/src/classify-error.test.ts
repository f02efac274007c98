import { describe, expect, it } from 'vitest';
import { classifyError } from './classify-error.js';
import { FatalError, PoisonError, RetryableError, StaleOwnerError } from './errors.js';

const database = (code: string): Error => Object.assign(new Error('x'), { code, severity: 'ERROR' });
const network = (code: string): Error => Object.assign(new Error('x'), { code, syscall: 'read' });

describe('classifyError', () => {
  it.each([
    ['a broken connection', database('08006'), 'database'],
    ['a server that shuts down', database('57P01'), 'database'],
    ['a full disk', database('53100'), 'database'],
    ['too many connections', database('53300'), 'database'],
    ['a server that became read-only', database('25006'), 'database'],
    ['a socket that was reset', network('ECONNRESET'), 'database'],
    ['a server that is not there', network('ECONNREFUSED'), 'database'],
    [
      'a server that is at none of its addresses',
      Object.assign(new AggregateError([network('ECONNREFUSED')]), { code: 'ECONNREFUSED' }),
      'database',
    ],
    ['a Unix socket that is not there', Object.assign(network('ENOENT'), { syscall: 'connect' }), 'database'],
    ['a connection lost under a query', new Error('Connection terminated unexpectedly'), 'database'],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), 'database'],
    ['a serialization failure', database('40001'), 'serialization'],
    ['a deadlock', database('40P01'), 'serialization'],
    ['a statement that took too long', database('57014'), 'serialization'],
    ['a missing table', database('42P01'), 'fatal'],
    ['a wrong password', database('28P01'), 'fatal'],
    ['a value that Postgres cannot store', database('22021'), 'handler'],
    ['a broken constraint', database('23505'), 'handler'],
    ['a bug', new TypeError('x is not a function'), 'handler'],
    ['a file that is not there', network('ENOENT'), 'handler'],
    ['something that is no error', 'text', 'handler'],
    ['what says it can be tried again', Object.assign(new Error('x'), { retryable: true }), 'retryable'],
    ['RetryableError', new RetryableError('x'), 'retryable'],
    ['FatalError', new FatalError('x'), 'fatal'],
    ['PoisonError', new PoisonError('x', { offset: 1n }), 'poison'],
    ['StaleOwnerError', new StaleOwnerError('x'), 'stale'],
  ])('knows %s', (_name, error, found) => {
    expect(classifyError(error)).toBe(found);
  });

  it('looks through the errors that others wrap it in', () => {
    expect(
      classifyError(new Error('outer', { cause: new Error('middle', { cause: database('40001') }) })),
    ).toBe('serialization');
  });

  it('ends on errors that cause each other in a circle', () => {
    const error = new Error('x');
    error.cause = error;
    expect(classifyError(error)).toBe('handler');
  });
});

import { describe, expect, it } from 'vitest';
import { createLogger } from './index.js';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = createLogger({ name: 'truncator', destination: { write: (line) => void lines.push(line) } });
  write(logger);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('createLogger', () => {
  it('writes a line of JSON with name, level and time', () => {
    const [line] = logged((logger) => logger.info({ offset: 7 }, 'done'));
    expect(line).toMatchObject({ name: 'truncator', level: 'info', msg: 'done', offset: 7 });
    expect(Number.isNaN(Date.parse(String(line?.['time'])))).toBe(false);
  });

  it('leaves out fields that could carry the text of a message', () => {
    const [line] = logged((logger) =>
      logger.info({ text: 'my PIN is 1234', event: { content: 'my PIN is 1234' } }, 'x'),
    );
    expect(JSON.stringify(line)).not.toContain('1234');
  });

  it('writes an error with its causes but without the fields in which Postgres quotes a row', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (body)=(my PIN is 1234)',
    });
    const [line] = logged((logger) => logger.error({ err: new Error('outer', { cause }) }, 'failed'));
    expect(line?.['err']).toMatchObject({
      message: 'outer',
      cause: { message: 'duplicate key', code: '23505' },
    });
    expect(JSON.stringify(line)).not.toContain('1234');
  });

  it('is silent when told so', () => {
    expect(createLogger({ name: 'x', level: 'silent' }).isLevelEnabled('fatal')).toBe(false);
  });
});

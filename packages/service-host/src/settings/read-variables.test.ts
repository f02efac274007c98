import { describe, expect, it } from 'vitest';
import { readVariables, SettingsError, unknownVariables } from './read-variables.js';
import { SERVICE_VARIABLES } from './variables.js';

const NEEDED = {
  PALIMPSEST_KAFKA_BROKERS: 'one:9092, two:9092',
  PALIMPSEST_REGISTRY_URL: 'http://user:hunter2@registry:8081',
  PALIMPSEST_POSTGRES_URL: 'postgres://user:hunter2@db/palimpsest',
};

function errorOf(environment: Record<string, string | undefined>): string {
  try {
    readVariables(environment, SERVICE_VARIABLES);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}

describe('the environment of a service', () => {
  it('needs only what no default can be right for', () => {
    const settings = readVariables(NEEDED, SERVICE_VARIABLES);
    expect(settings).toMatchObject({
      brokers: ['one:9092', 'two:9092'],
      tls: 'off',
      drainSeconds: 25,
      operationsHost: '127.0.0.1',
    });
  });

  it('is refused with every variable that is missing or wrong, and what it should be', () => {
    const message = errorOf({ PALIMPSEST_KAFKA_TLS: 'yes', PALIMPSEST_OPERATIONS_PORT: '70000' });
    expect(message.split('\n')).toHaveLength(5);
    for (const name of Object.keys(NEEDED)) expect(message).toContain(`${name} is not set`);
    expect(message).toContain('PALIMPSEST_KAFKA_TLS is "yes": give one of off, on');
    expect(message).toContain('PALIMPSEST_OPERATIONS_PORT is "70000": give a port');
  });

  it('takes an empty text for one that is not set', () => {
    expect(readVariables({ ...NEEDED, PALIMPSEST_DRAIN_SECONDS: '' }, SERVICE_VARIABLES).drainSeconds).toBe(
      25,
    );
    expect(errorOf({ ...NEEDED, PALIMPSEST_REGISTRY_URL: '' })).toContain(
      'PALIMPSEST_REGISTRY_URL is not set',
    );
  });

  it.each([
    ['PALIMPSEST_POSTGRES_URL', 'mysql://user:hunter2@db/palimpsest'],
    ['PALIMPSEST_REGISTRY_URL', 'hunter2'],
  ])('never shows what may hold a password: %s', (name, value) => {
    const message = errorOf({ ...NEEDED, [name]: value });
    expect(message).toContain(name);
    expect(message).not.toContain('hunter2');
  });

  it.each(['one', 'kafka://one:9092', 'one:9092,,two:9092', 'one:port'])(
    'takes no brokers "%s"',
    (brokers) => {
      expect(errorOf({ ...NEEDED, PALIMPSEST_KAFKA_BROKERS: brokers })).toContain('host:port');
    },
  );

  it('tells names of ours that mean nothing', () => {
    const environment = { ...NEEDED, PALIMPSEST_KAFKA_BROKER: 'one:9092', PATH: '/bin' };
    expect(unknownVariables(environment, Object.keys(NEEDED))).toEqual(['PALIMPSEST_KAFKA_BROKER']);
  });
});

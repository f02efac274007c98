import { describe, expect, it } from 'vitest';
import { kafkaConnection, type KafkaSettings } from './kafka-connection.js';
import { readVariables } from './read-variables.js';
import { KAFKA_VARIABLES } from './variables.js';

function settings(more: Record<string, string>): KafkaSettings {
  return readVariables({ PALIMPSEST_KAFKA_BROKERS: 'one:9092', ...more }, KAFKA_VARIABLES);
}
const connect = (more: Record<string, string>) => kafkaConnection('test', settings(more));

describe('a connection to Kafka', () => {
  it('is plain unless told otherwise', () => {
    expect(connect({})).toEqual({ brokers: ['one:9092'], clientId: 'test' });
  });

  it('takes TLS with the authorities of the system, or of a file', () => {
    expect(connect({ PALIMPSEST_KAFKA_TLS: 'on' }).ssl).toBe(true);
    const ca = import.meta.filename;
    const { ssl } = connect({ PALIMPSEST_KAFKA_TLS: 'on', PALIMPSEST_KAFKA_CA_FILE: ca });
    expect(ssl).toMatchObject({ ca: [expect.stringContaining('authorities')] });
  });

  it('takes a mechanism with user and password', () => {
    const given = {
      PALIMPSEST_KAFKA_SASL: 'scram-sha-512',
      PALIMPSEST_KAFKA_USER: 'u',
      PALIMPSEST_KAFKA_PASSWORD: 'p',
    };
    expect(connect(given).sasl).toEqual({ mechanism: 'scram-sha-512', username: 'u', password: 'p' });
  });

  it.each([
    ['a file for TLS without TLS', { PALIMPSEST_KAFKA_CA_FILE: 'ca.pem' }, 'PALIMPSEST_KAFKA_TLS'],
    [
      'a file that is not there',
      { PALIMPSEST_KAFKA_TLS: 'on', PALIMPSEST_KAFKA_CA_FILE: 'no.pem' },
      'no.pem cannot be read',
    ],
    [
      'a certificate without its key',
      { PALIMPSEST_KAFKA_TLS: 'on', PALIMPSEST_KAFKA_CERT_FILE: 'c.pem' },
      'PALIMPSEST_KAFKA_KEY_FILE',
    ],
    ['a mechanism without a user', { PALIMPSEST_KAFKA_SASL: 'plain' }, 'PALIMPSEST_KAFKA_USER'],
    ['a user without a mechanism', { PALIMPSEST_KAFKA_USER: 'u' }, 'PALIMPSEST_KAFKA_SASL'],
    [
      'a password in the clear',
      { PALIMPSEST_KAFKA_SASL: 'plain', PALIMPSEST_KAFKA_USER: 'u', PALIMPSEST_KAFKA_PASSWORD: 'p' },
      'shows the password',
    ],
  ])('refuses %s', (_, given, says) => {
    expect(() => connect(given)).toThrow(says);
  });
});

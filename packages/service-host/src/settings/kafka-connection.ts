import { readFileSync } from 'node:fs';
import type { KafkaLogOptions } from '@palimpsest/log-kafka';
import { type SettingsOf, SettingsError } from './read-variables.js';
import type { KAFKA_VARIABLES } from './variables.js';

export type KafkaSettings = SettingsOf<typeof KAFKA_VARIABLES>;
type Connection = Pick<KafkaLogOptions, 'brokers' | 'clientId' | 'ssl' | 'sasl'>;

/** What kafkajs needs to connect; files are read here. Throws SettingsError for settings that do not go together. */
export function kafkaConnection(clientId: string, settings: KafkaSettings): Connection {
  const ssl = tlsOf(settings);
  const sasl = saslOf(settings);
  return {
    brokers: settings.brokers,
    clientId,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
  };
}

function tlsOf(settings: KafkaSettings): Connection['ssl'] {
  const { tls, caFile, certificateFile, keyFile } = settings;
  if (tls === 'off') {
    if (caFile === null && certificateFile === null && keyFile === null) return undefined;
    throw new SettingsError(
      'PALIMPSEST_KAFKA_TLS is off, but files for TLS are named: set it to "on", or leave the files out.',
    );
  }
  if ((certificateFile === null) !== (keyFile === null)) {
    throw new SettingsError(
      'PALIMPSEST_KAFKA_CERT_FILE and PALIMPSEST_KAFKA_KEY_FILE go together: set both, or none.',
    );
  }
  if (caFile === null && certificateFile === null) return true;
  return {
    ...(caFile === null ? {} : { ca: [read('PALIMPSEST_KAFKA_CA_FILE', caFile)] }),
    ...(certificateFile === null ? {} : { cert: read('PALIMPSEST_KAFKA_CERT_FILE', certificateFile) }),
    ...(keyFile === null ? {} : { key: read('PALIMPSEST_KAFKA_KEY_FILE', keyFile) }),
  };
}

function saslOf(settings: KafkaSettings): Connection['sasl'] {
  const { sasl, saslUser: username, saslPassword: password, tls } = settings;
  if (sasl === 'off') {
    if (username === null && password === null) return undefined;
    throw new SettingsError(
      'PALIMPSEST_KAFKA_USER or PALIMPSEST_KAFKA_PASSWORD is set, but PALIMPSEST_KAFKA_SASL is off: name the mechanism.',
    );
  }
  if (username === null || password === null) {
    throw new SettingsError(
      `PALIMPSEST_KAFKA_SASL is ${sasl}: set PALIMPSEST_KAFKA_USER and PALIMPSEST_KAFKA_PASSWORD as well.`,
    );
  }
  if (sasl === 'plain' && tls === 'off') {
    throw new SettingsError(
      'PALIMPSEST_KAFKA_SASL is plain, which shows the password to the network: set PALIMPSEST_KAFKA_TLS to "on", or use scram-sha-512.',
    );
  }
  return { mechanism: sasl, username, password } as NonNullable<Connection['sasl']>;
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SettingsError(`${name}: ${file} cannot be read; check the name and its permissions.`, {
      cause,
    });
  }
}

// A listener with TLS and SASL, as clusters outside a laptop have it; its certificate is made by the JDK's keytool.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];

/** Settings of a node for it, what its storage has to be formatted with, and the authority that clients must trust. */
export function secureListener(folder, users) {
  const { keystore, password, caFile } = certificate(folder);
  const prefix = 'listener.name.secure';
  const plainUsers = Object.entries(users).map(([name, secret]) => `user_${name}="${secret}"`);
  return {
    caFile,
    settings: (node) => ({
      listeners: [
        `PLAINTEXT://127.0.0.1:${node.port}`,
        `CONTROLLER://127.0.0.1:${node.controllerPort}`,
        `SECURE://127.0.0.1:${node.securePort}`,
      ].join(','),
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port},SECURE://127.0.0.1:${node.securePort}`,
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL',
      [`${prefix}.ssl.keystore.type`]: 'PKCS12',
      [`${prefix}.ssl.keystore.location`]: keystore.replaceAll('\\', '/'),
      [`${prefix}.ssl.keystore.password`]: password,
      [`${prefix}.sasl.enabled.mechanisms`]: ['PLAIN', ...MECHANISMS].join(','),
      [`${prefix}.plain.sasl.jaas.config`]: `org.apache.kafka.common.security.plain.PlainLoginModule required ${plainUsers.join(' ')};`,
      ...Object.fromEntries(
        MECHANISMS.map((mechanism) => [
          `${prefix}.${mechanism.toLowerCase()}.sasl.jaas.config`,
          'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        ]),
      ),
    }),
    formatFlags: Object.entries(users).flatMap(([name, secret]) =>
      MECHANISMS.flatMap((mechanism) => ['--add-scram', `${mechanism}=[name=${name},password=${secret}]`]),
    ),
  };
}

/** Self-signed, so that it is its own authority; kept in the folder. */
function certificate(folder) {
  const keystore = join(folder, 'broker.p12');
  const passwordFile = join(folder, 'broker.password');
  const caFile = join(folder, 'broker.pem');
  if (!existsSync(passwordFile))
    writeFileSync(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
  const password = readFileSync(passwordFile, 'utf8');
  const store = ['-keystore', keystore, '-storetype', 'PKCS12', '-storepass', password, '-alias', 'broker'];
  if (!existsSync(keystore)) {
    const names = ['-dname', 'CN=kafka-dev', '-ext', 'san=ip:127.0.0.1,dns:localhost'];
    keytool([
      '-genkeypair',
      ...store,
      '-keyalg',
      'EC',
      '-groupname',
      'secp256r1',
      '-validity',
      '3650',
      ...names,
    ]);
  }
  if (!existsSync(caFile)) keytool(['-exportcert', '-rfc', '-file', caFile, ...store]);
  return { keystore, password, caFile };
}

function keytool(args) {
  const { error, status, stdout, stderr } = spawnSync('keytool', args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`keytool, which comes with Java, could not make a certificate: ${stdout}${stderr}`, {
    cause: error,
  });
}

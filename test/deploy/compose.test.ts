import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SERVICE_VARIABLES } from '../../packages/service-host/src/settings/variables.js';
import { finishCommand, ROOT } from '../harness/command-line.js';
import { OTHERS, SERVICES, unknownTo } from './declared-services.js';
import { dockerfile, envFile, imageEnvironment, type Loose, textOf, yamlOf } from './deployment-files.js';

const FILE = 'docker-compose.yml';
const compose = yamlOf(FILE);
const containers: Record<string, Loose> = compose.services;
const development = envFile('deploy/development.env');
const ours = Object.entries(containers).filter(([, { image }]) => image === 'palimpsest');

/** `${NAME:?…}` from deploy/development.env, `${NAME:-}` as nothing. */
function interpolated(text: string): string {
  return text.replaceAll(/\$\{(\w+):(\?[^}]*|-)\}/g, (_, name: string, rest: string) => {
    if (rest === '-') return '';
    const value = development[name];
    if (value === undefined) throw new Error(`${name} is not in deploy/development.env.`);
    return value;
  });
}

function environmentOf(container: Loose): Record<string, string> {
  const given = Object.entries<string>(container.environment ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name, interpolated(value)]));
}

describe('docker-compose.yml', () => {
  it('has a container for each service, for each job and for the registry, and none of something else', () => {
    const commands = ours.map(([name, { command }]) => [name, command.slice(0, 4).join(' ')]);
    const expected = [
      ...SERVICES.map((name) => [name, `node services/${name}/dist/main.js`]),
      ...Object.entries(OTHERS).map(([name, { command }]) => [name, `node ${command}`]),
    ];
    expect(commands.toSorted()).toEqual(expected.toSorted());
    for (const [, { command }] of ours) {
      const source = command[1].replace('/dist/', '/src/').replace(/main\.js$/, 'main.ts');
      expect(existsSync(path.join(ROOT, source)), source).toBe(true);
    }
  });

  it.each(ours)(
    'sets what %s requires, with values it takes, and nothing it does not know',
    async (name, one) => {
      const environment = { ...environmentOf(one), ...(SERVICES.includes(name) ? imageEnvironment() : {}) };
      expect(await unknownTo(name, environment)).toEqual([]);
    },
  );

  it('keeps no password: each is asked for, and the development ones are exactly those', () => {
    const asked = [...textOf(FILE).matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    expect([...new Set(asked)].toSorted()).toEqual(Object.keys(development).toSorted());
    const secrets = Object.values(containers).flatMap(({ environment = {} }) =>
      Object.entries<string>(environment).filter(([name]) => /PASSWORD|KEY$|TOKEN/.test(name)),
    );
    for (const [name, value] of secrets) expect(value, name).toMatch(/^\$\{\w+:(\?[^}]+|-)\}$/);
    expect(textOf('deploy/development.env')).toMatch(/^# DEVELOPMENT ONLY/);
  });

  it('hands settings through under their own names', () => {
    for (const [, { environment = {} }] of ours) {
      for (const [name, value] of Object.entries<string>(environment)) {
        const through = /^\$\{(\w+):-\}$/.exec(value);
        if (through !== null) expect(through[1]).toBe(name);
      }
    }
  });

  it('names hosts and ports that containers have', () => {
    const listeners: Record<string, string> = {
      kafka: /PLAINTEXT:\/\/:(\d+)/.exec(containers['kafka'].environment.KAFKA_LISTENERS)?.[1] as string,
      postgres: '5432',
      clickhouse: '8123',
      'schema-registry': containers['schema-registry'].environment.PALIMPSEST_PORT,
    };
    expect(containers['kafka'].environment.KAFKA_ADVERTISED_LISTENERS).toBe(
      `PLAINTEXT://kafka:${listeners['kafka']}`,
    );
    for (const [name, one] of ours) {
      for (const [variable, value] of Object.entries(environmentOf(one))) {
        if (!/_(URL|BROKERS)$/.test(variable) || value === '') continue;
        const { hostname, port } = new URL(value.includes('://') ? value : `kafka://${value}`);
        expect(listeners[hostname], `${variable} of ${name}`).toBe(port);
      }
    }
    const health = containers['schema-registry'].healthcheck.test.join(' ');
    expect(health).toContain(`127.0.0.1:${listeners['schema-registry']}/`);
  });

  it('publishes loopback ports only, the API as it listens', () => {
    const published = Object.values(containers).flatMap(({ ports = [] }) => ports as string[]);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    const { PALIMPSEST_PORT: port } = containers['context-api'].environment;
    expect(containers['context-api'].ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });

  it('waits only for what can come: the healthy have a check, the completed are jobs', () => {
    for (const [name, { depends_on: needs = {} }] of Object.entries(containers)) {
      for (const [needed, { condition }] of Object.entries<Loose>(needs)) {
        const other = containers[needed];
        expect(other, `${needed}, for which ${name} waits`).toBeDefined();
        const hasCheck =
          other.healthcheck === undefined ? SERVICES.includes(needed) : !other.healthcheck.disable;
        expect(condition).toBe(hasCheck ? 'service_healthy' : 'service_completed_successfully');
        if (!hasCheck) expect(other.restart).toMatch(/^on-failure/);
      }
    }
    for (const [name, { image, healthcheck }] of Object.entries(containers)) {
      if (image !== 'palimpsest') expect(healthcheck?.test?.[0], name).toBe('CMD');
    }
  });

  it('gives services longer to drain than they take', () => {
    for (const name of SERVICES) {
      const seconds = Number(/^(\d+)s$/.exec(containers[name].stop_grace_period)?.[1]);
      expect(seconds).toBeGreaterThan(SERVICE_VARIABLES.drainSeconds.fallback as number);
    }
  });

  it('mounts files that exist and volumes that are declared', () => {
    for (const volume of Object.values(containers).flatMap(({ volumes = [] }) => volumes as string[])) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(existsSync(path.join(ROOT, source)), source).toBe(true);
      else expect(compose.volumes).toHaveProperty(source);
    }
  });

  it('runs the Kafka that is tested', () => {
    const [, version] = /<kafka\.version>([^<]+)</.exec(textOf('deploy/kafka-dev/pom.xml')) ?? [];
    expect(containers['kafka'].image).toBe(`apache/kafka:${version}`);
  });

  it('calls jobs as the command line has them', async () => {
    for (const name of ['topics', 'schemas']) {
      const args: string[] = containers[name].command.slice(2);
      const options = args.filter((arg) => arg.startsWith('--'));
      const help = await finishCommand([...args.slice(0, 2), '--help']);
      expect(help).toContain(`palimpsest ${args.slice(0, 2).join(' ')} [options]`);
      for (const option of options) expect(help).toContain(option);
    }
  });
});

describe('deploy/Dockerfile', () => {
  it('copies what exists and what .dockerignore lets through', () => {
    const kept = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const file of kept) expect(existsSync(path.join(ROOT, file)), file).toBe(true);
    const copied = dockerfile().filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'));
    for (const { rest } of copied) {
      const source = rest.split(' ')[0] as string;
      if (source !== '.') expect(kept).toContain(source);
    }
    for (const folder of ['schemas', 'strategies']) {
      expect(copied.map(({ rest }) => rest)).toContain(`${folder} ./${folder}`);
    }
  });

  it('runs as nobody special, on the Node that is supported', () => {
    expect(dockerfile().findLast(({ name }) => name === 'USER')?.rest).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const [, major] = /NODE_IMAGE=node:(\d+)/.exec(textOf('deploy/Dockerfile')) ?? [];
    expect(JSON.parse(textOf('package.json')).engines.node).toBe('>=20.19');
    expect(Number(major)).toBeGreaterThanOrEqual(20);
  });

  it('says which ports there are, and asks the one of operations whether it lives', () => {
    const port = SERVICE_VARIABLES.operationsPort.fallback;
    const exposed = dockerfile()
      .find(({ name }) => name === 'EXPOSE')
      ?.rest.split(' ');
    expect(exposed).toEqual([String(port), containers['context-api'].environment.PALIMPSEST_PORT]);
    const health = dockerfile().find(({ name }) => name === 'HEALTHCHECK')?.rest;
    expect(health).toContain(`\${process.env.PALIMPSEST_OPERATIONS_PORT || ${port}}/healthz`);
  });
});

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createMetrics } from '@palimpsest/observability';
import { describe, expect, it } from 'vitest';
import { startOperationsServer } from '../../packages/service-host/src/operations-server.js';
import { SERVICE_VARIABLES } from '../../packages/service-host/src/settings/variables.js';
import { declaredTopics } from '../../packages/service-host/src/topics/declared-topics.js';
import { ROOT } from '../harness/command-line.js';
import { OTHERS, SERVICES, subscriptions, unknownTo } from './declared-services.js';
import { envFile, imageEnvironment, type Loose, objectsOf, yamlOf } from './deployment-files.js';

const FOLDER = 'deploy/kubernetes';
const kustomization = yamlOf(`${FOLDER}/kustomization.yaml`);
const objects: Loose[] = kustomization.resources.flatMap((file: string) => objectsOf(`${FOLDER}/${file}`));
const [patch] = objectsOf(`${FOLDER}/service.patch.yaml`);
const settings = envFile(`${FOLDER}/settings.env`);
const ofKind = (kind: string): Loose[] => objects.filter((object) => object.kind === kind);
const services = ofKind('Deployment').filter(
  ({ metadata }) => metadata.labels['palimpsest/is'] === 'service',
);
const patched = patch.spec.template.spec;
const pods = [...ofKind('Deployment'), ...ofKind('Job')].map(
  ({ metadata: { name }, spec }) => [name, spec.template.spec] as const,
);
const OPERATIONS_PORT = SERVICE_VARIABLES.operationsPort.fallback;

/** What a container is told, with example secrets. */
function environmentOf(container: Loose): Record<string, string> {
  const own = Object.fromEntries(
    (container.env ?? []).map(({ name, value, valueFrom }: Loose) => {
      if (valueFrom === undefined) return [name, value];
      expect(valueFrom.secretKeyRef).toMatchObject({ name: 'palimpsest', key: name });
      return [
        name,
        name.endsWith('_URL') ? 'postgres://palimpsest:secret@postgres:5432/palimpsest' : 'secret',
      ];
    }),
  );
  const fromMap = (container.envFrom ?? []).flatMap(({ configMapRef }: Loose) => {
    expect(configMapRef.name).toBe(kustomization.configMapGenerator[0].name);
    return Object.entries(settings);
  });
  return { ...Object.fromEntries(fromMap), ...own };
}

describe('deploy/kubernetes', () => {
  it('leaves no file of the folder out', () => {
    const { resources, configMapGenerator, patches } = kustomization;
    const named = [
      'kustomization.yaml',
      ...resources,
      ...configMapGenerator.flatMap(({ envs }: Loose) => envs),
      ...patches.map((one: Loose) => one.path),
    ];
    expect(named.toSorted()).toEqual(readdirSync(path.join(ROOT, FOLDER)).toSorted());
  });

  it('has a Deployment for each service, the registry, and a Job for each command', () => {
    const commands = pods.map(([name, { containers }]) => [name, containers[0].command.join(' ')]);
    const expected = [
      ...SERVICES.map((name) => [name, `node services/${name}/dist/main.js`]),
      ...Object.entries(OTHERS).map(([name, { command }]) => [name, `node ${command}`]),
    ];
    expect(commands.toSorted()).toEqual(expected.toSorted());
    expect(services.map(({ metadata }) => metadata.name).toSorted()).toEqual(SERVICES);
    expect(kustomization.patches[0].target).toEqual({
      kind: 'Deployment',
      labelSelector: 'palimpsest/is=service',
    });
  });

  it.each(pods)(
    'sets what %s requires, with values it takes, and nothing it does not know',
    async (name, pod) => {
      const [container] = pod.containers;
      expect(container.image).toBe(kustomization.images[0].name);
      const shared = SERVICES.includes(name) ? patched.containers[0] : {};
      const environment = {
        ...(SERVICES.includes(name) ? imageEnvironment() : {}),
        ...environmentOf(shared),
        ...environmentOf(container),
      };
      // The map is everybody's; a command that needs one of its two says nothing of the other.
      const unknown = await unknownTo(name, environment);
      expect(unknown.filter((one) => SERVICES.includes(name) || !(one in settings))).toEqual([]);
      if (SERVICES.includes(name)) expect(container.name).toBe(patched.containers[0].name);
    },
  );

  it('asks the operations server for what it answers, where it listens', async () => {
    const [{ ports, livenessProbe, readinessProbe }] = patched.containers;
    expect(ports).toEqual([{ name: 'operations', containerPort: OPERATIONS_PORT }]);
    const annotations = patch.spec.template.metadata.annotations;
    expect(annotations['prometheus.io/port']).toBe(String(OPERATIONS_PORT));
    const server = await startOperationsServer({
      host: '127.0.0.1',
      port: 0,
      metrics: createMetrics(),
      missing: () => Promise.resolve(['something']),
    });
    try {
      const statuses: number[] = [];
      for (const probe of [livenessProbe, readinessProbe]) {
        expect(probe.httpGet.port).toBe('operations');
        statuses.push((await fetch(server.url + probe.httpGet.path)).status);
      }
      const metrics = await fetch(server.url + annotations['prometheus.io/path']);
      expect([...statuses, metrics.status]).toEqual([200, 503, 200]);
    } finally {
      await server.close();
    }
  });

  it('gives services longer to drain than they take, bounds their memory, and takes their rights', () => {
    expect(patched.terminationGracePeriodSeconds).toBeGreaterThan(
      SERVICE_VARIABLES.drainSeconds.fallback as number,
    );
    const others = pods.filter(([name]) => !SERVICES.includes(name)).map(([, pod]) => pod);
    for (const pod of [patched, ...others]) {
      expect(pod.securityContext.runAsNonRoot).toBe(true);
      expect(pod.containers[0].resources.limits).toHaveProperty('memory');
      expect(pod.containers[0].securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('has a disruption budget for each Deployment', () => {
    const names = ofKind('Deployment').map(({ metadata }) => metadata.name);
    const budgets = ofKind('PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted());
    for (const { metadata, spec } of budgets) {
      expect(spec.selector.matchLabels).toEqual({ 'app.kubernetes.io/name': metadata.name });
    }
  });

  it('scales each consumer on the groups and topics it reads, up to the partitions there are', async () => {
    const scaled = ofKind('ScaledObject');
    const triggers = scaled.flatMap(({ metadata, spec }) =>
      spec.triggers.map(
        ({ metadata: { consumerGroup, topic, bootstrapServers, offsetResetPolicy } }: Loose) => {
          expect(spec.scaleTargetRef.name).toBe(metadata.name);
          expect(consumerGroup).toMatch(new RegExp(`^${metadata.name}(\\.projection)?\\.g\\d+$`));
          expect(bootstrapServers).toBe(settings['PALIMPSEST_KAFKA_BROKERS']);
          expect(offsetResetPolicy).toBe('earliest');
          const declared = declaredTopics().find(({ name }) => name === topic);
          expect(spec.maxReplicaCount).toBe(declared?.partitions);
          return `${consumerGroup} ${topic}`;
        },
      ),
    );
    expect(triggers.toSorted()).toEqual(await subscriptions());
    // Who is scaled has no number of its own, or each "apply" would undo the scaling.
    for (const { metadata, spec } of services) {
      const isScaled = scaled.some(({ spec: { scaleTargetRef } }) => scaleTargetRef.name === metadata.name);
      expect(spec.replicas === undefined).toBe(isScaled);
    }
  });

  it('serves the ports that are listened on, to those who may ask', () => {
    const portsOf = (name: string): Loose[] => pods.find(([one]) => one === name)?.[1].containers[0].ports;
    for (const { metadata, spec } of ofKind('Service')) {
      const [listened] = portsOf(metadata.name);
      expect(spec.selector).toEqual({ 'app.kubernetes.io/name': metadata.name });
      expect(spec.ports[0]).toMatchObject({ port: listened.containerPort, targetPort: listened.name });
    }
    expect(portsOf('context-api')[0].containerPort).toBe(8787);
    const { port } = new URL(settings['PALIMPSEST_REGISTRY_URL'] as string);
    const registry = pods.find(([name]) => name === 'schema-registry')?.[1];
    const told = environmentOf(registry.containers[0])['PALIMPSEST_PORT'];
    expect([portsOf('schema-registry')[0].containerPort, Number(told)]).toEqual([Number(port), Number(port)]);
    const open = ofKind('NetworkPolicy').map(({ metadata, spec }) => [
      metadata.name,
      spec.ingress[0].ports[0].port,
    ]);
    expect(Object.fromEntries(open)).toEqual({
      palimpsest: OPERATIONS_PORT,
      'context-api': 8787,
      'schema-registry': Number(port),
    });
  });

  it.skipIf(!hasKubectl())('is rendered by kustomize', () => {
    const text = execFileSync('kubectl', ['kustomize', path.join(ROOT, FOLDER)], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(text.match(/path: \/readyz/g)).toHaveLength(SERVICES.length);
  });
});

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

import { type MetricDefinition, METRICS } from '@palimpsest/observability';
import { describe, expect, it } from 'vitest';
import { API_VARIABLES, SERVICE_VARIABLES } from '../../packages/service-host/src/settings/variables.js';
import { SERVICES, subscriptions } from './declared-services.js';
import { type Loose, textOf, yamlOf } from './deployment-files.js';
import { readQuery } from './read-query.js';

const rules: Loose[] = yamlOf('deploy/prometheus/rules.yml').groups.flatMap((group: Loose) => group.rules);
const dashboard = JSON.parse(textOf('deploy/grafana/dashboards/palimpsest.json'));
const panels: [string, string[]][] = dashboard.panels.map(({ title, targets }: Loose) => [
  title,
  targets.map(({ expr }: Loose) => expr),
]);
const queries: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(([title, exprs]) => exprs.map((expr): [string, string] => [title, expr])),
];
/** What Prometheus adds to every sample of ours, and to those of histograms. */
const SCRAPED = ['instance', 'le'];

/** The metric of the list behind a sample's name; undefined for one that no process of ours has. */
function listed(sample: string): MetricDefinition | undefined {
  if (!sample.startsWith('palimpsest_')) return undefined;
  const name = sample.slice('palimpsest_'.length);
  const all = METRICS as Record<string, MetricDefinition>;
  const histogram = all[name.replace(/_(bucket|sum|count)$/, '')];
  return histogram?.kind === 'histogram' && !(name in all) ? histogram : all[name];
}

describe('alerts and dashboard', () => {
  it.each(queries)('%s asks for metrics and labels of the closed list', (_, expr) => {
    const { samples, labels } = readQuery(expr);
    expect(samples).not.toEqual([]);
    const known = new Set(SCRAPED);
    for (const sample of samples) {
      const metric = listed(sample);
      expect(metric, sample).toBeDefined();
      const isRaw = metric?.kind === 'histogram' && !/_(bucket|sum|count)$/.test(sample);
      expect(isRaw, `${sample} is a histogram: ask for its buckets`).toBe(false);
      for (const label of metric?.labels ?? []) known.add(label);
    }
    for (const label of labels) expect([...known], expr).toContain(label);
  });

  it('show every metric there is', () => {
    const shown = new Set(
      panels.flatMap(([, exprs]) => exprs.flatMap((expr) => readQuery(expr).samples.map(listed))),
    );
    const hidden = Object.entries(METRICS).filter(([, metric]) => !shown.has(metric));
    expect(hidden.map(([name]) => name)).toEqual([]);
  });

  it('name in texts only labels that are in the answer', () => {
    for (const { alert, expr, annotations } of rules) {
      const { labels } = readQuery(expr);
      for (const [, label] of String(annotations.summary).matchAll(/\$labels\.(\w+)/g)) {
        expect(labels, alert).toContain(label);
      }
    }
    for (const { title, targets } of dashboard.panels) {
      for (const { expr, legendFormat } of targets) {
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          expect(readQuery(expr).labels, title).toContain(label);
        }
      }
    }
  });

  it('name consumers that exist', async () => {
    const consumers = new Set((await subscriptions()).map((one) => one.split('.g')[0]));
    const named = queries.flatMap(([, expr]) => [...expr.matchAll(/consumer="([^"]*)"/g)]);
    expect(named.length).toBeGreaterThan(0);
    for (const [, consumer] of named) expect([...consumers]).toContain(consumer);
  });

  it('are each told apart, and lead to a chapter of the runbook', () => {
    const chapters = [...textOf('docs/runbook.md').matchAll(/^## (.+)$/gm)].map(([, title]) =>
      (title as string)
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).toMatch(/^(warning|critical)$/);
      const [file, chapter] = annotations.runbook.split('#');
      expect(file).toBe('docs/runbook.md');
      expect(chapters, alert).toContain(chapter);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

describe('deploy/prometheus/prometheus.yml', () => {
  const config = yamlOf('deploy/prometheus/prometheus.yml');

  it('scrapes each service on its operations port', () => {
    const [{ dns_sd_configs: found }] = config.scrape_configs;
    expect(found[0].names.toSorted()).toEqual(SERVICES);
    expect(found[0].port).toBe(SERVICE_VARIABLES.operationsPort.fallback);
    expect(found[0].port).not.toBe(API_VARIABLES.port.fallback);
  });

  it('reads the rules beside it', () => {
    expect(config.rule_files).toEqual(['rules.yml']);
  });
});

describe('deploy/grafana/provisioning', () => {
  it('points at the Prometheus that the panels ask, and at their folder', () => {
    const [source] = yamlOf('deploy/grafana/provisioning/datasources/prometheus.yml').datasources;
    for (const { datasource } of dashboard.panels) expect(datasource.uid).toBe(source.uid);
    expect(yamlOf('docker-compose.yml').services).toHaveProperty(new URL(source.url).hostname);
    const [provider] = yamlOf('deploy/grafana/provisioning/dashboards/palimpsest.yml').providers;
    const { volumes } = yamlOf('docker-compose.yml').services.grafana;
    expect(volumes).toContain(`./deploy/grafana/dashboards:${provider.options.path}:ro`);
  });
});

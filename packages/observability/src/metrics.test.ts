import { describe, expect, it } from 'vitest';
import { createMetrics, METRICS, type MetricDefinition, renderMetrics } from './index.js';

const list = Object.entries<MetricDefinition>(METRICS);

describe('the list of metrics', () => {
  it.each(list)('tells of %s what it counts and what an operator does', (_name, metric) => {
    expect(metric.help).toMatch(/^[A-Z0-9].{15,}\.$/);
    expect(metric.does).toMatch(/^.{20,}\.$/);
  });

  it.each(list)('names %s as its kind wants it', (name, metric) => {
    expect(name).toMatch(/^[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(metric.kind === 'counter');
    expect(name.endsWith('_seconds')).toBe(metric.kind === 'histogram');
  });

  it('has no label whose values have no bound', () => {
    const labels = new Set(list.flatMap(([, metric]) => metric.labels));
    const bounded = [
      'class',
      'consumer',
      'flag',
      'kind',
      'outcome',
      'partition',
      'provider',
      'reason',
      'route',
    ];
    expect([...labels].toSorted()).toEqual([...bounded, 'status', 'topic']);
  });
});

describe('createMetrics', () => {
  it('renders every metric with our prefix', async () => {
    const text = await renderMetrics(createMetrics());
    for (const [name] of list) expect(text).toContain(`# HELP palimpsest_${name} `);
  });

  it('counts in a registry of its own', async () => {
    const one = createMetrics();
    one.dead_letters_total.inc({ consumer: 'truncator', topic: 'chat.messages', class: 'decode' });
    expect(await renderMetrics(one)).toContain(
      'palimpsest_dead_letters_total{consumer="truncator",topic="chat.messages",class="decode"} 1',
    );
    expect(await renderMetrics(createMetrics())).not.toContain('truncator');
  });
});

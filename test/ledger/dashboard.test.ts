import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepEvent, taskFinished } from '../../packages/ledger/test/step-event.js';
import { type TemporaryLedger, temporaryLedger } from '../../packages/ledger/test/temporary-ledger.js';
import { textOf, yamlOf } from '../deploy/deployment-files.js';
import { ROOT } from '../harness/command-line.js';

interface Panel {
  title: string;
  type: string;
  datasource: { uid: string };
  targets: { rawSql: string; format: number }[];
}
const dashboard = JSON.parse(textOf('deploy/grafana/dashboards/ledger.json')) as {
  uid: string;
  panels: Panel[];
};
const queries = dashboard.panels.flatMap((panel) =>
  panel.targets.map(({ rawSql }): [string, string, Panel] => [panel.title, rawSql, panel]),
);

let one: TemporaryLedger;
beforeAll(async () => {
  one = await temporaryLedger();
  await one.insertSteps([
    stepEvent({ agent: 'a', strategy: 's@1', context_tokens: 9, tool_name: 'search', tool_result_bytes: 7 }),
    stepEvent({ agent: 'a', model: 'nobody-knows' }),
  ]);
  await one.insertTasks([taskFinished()]);
});
afterAll(() => one.drop());

/** What the plugin puts in place of its macros, for the range of the test's rows. */
function expanded(sql: string): string {
  const known = sql
    .replaceAll('$__fromTime', 'toDateTime(1767225600)')
    .replaceAll('$__toTime', 'toDateTime(1769904000)');
  expect(known).not.toContain('$');
  return known;
}

describe('the dashboard of the bill', () => {
  it.each(queries)('%s: asks what the ledger has', async (_, sql, panel) => {
    const rows = await one.rows(expanded(sql), { tenant: 't' });
    expect(rows.length).toBeGreaterThan(0);
    if (panel.type === 'timeseries') expect(Object.keys(rows[0] as object)[0]).toBe('time');
  });

  it('asks the ClickHouse that is provisioned', () => {
    const [source] = yamlOf('deploy/grafana/provisioning/datasources/clickhouse.yml').datasources;
    for (const { datasource } of dashboard.panels) expect(datasource.uid).toBe(source.uid);
    expect(yamlOf('docker-compose.yml').services).toHaveProperty(source.jsonData.host);
  });
});

const PROMTOOL = ['/usr/bin/promtool', '/usr/local/bin/promtool'].find((file) => existsSync(file));

describe('the alerts', () => {
  it.skipIf(PROMTOOL === undefined)('are rules that promtool takes', async () => {
    const rules = path.join(ROOT, 'deploy/prometheus/rules.yml');
    const { stdout } = await promisify(execFile)(PROMTOOL as string, ['check', 'rules', rules]);
    expect(stdout).toContain('SUCCESS');
  });
});

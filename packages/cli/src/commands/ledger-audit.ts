import { METRICS_SINK, auditLedger, type LedgerAuditResult } from '@palimpsest/metrics-sink';
import { createPostgresRegistry, createRegistryClient } from '@palimpsest/schema-registry';
import { openCodec } from '@palimpsest/service-host';
import { deploymentEnvironment, type Environment } from '../environment.js';
import { CommandError, type Output } from '../output.js';
import { withStore } from '../stack/with-store.js';
import { withLedger } from './ledger-open.js';

/** `palimpsest ledger audit`: fails where log and ledger differ. */
export async function auditCommand(environment: Environment, output: Output): Promise<void> {
  const result = await withLedger(environment, (ledger) =>
    withStore(environment, output.progress, ({ pool, withLog, name }) =>
      withLog(async (log) => {
        output.progress(`Holding the ledger against the log of ${name}…`);
        const url = environment.dataFolderGiven
          ? undefined
          : deploymentEnvironment()['PALIMPSEST_REGISTRY_URL'];
        const registry =
          url === undefined ? await createPostgresRegistry({ pool }) : createRegistryClient({ url });
        const codec = await openCodec(registry, name);
        return await auditLedger({
          log,
          pool,
          ledger,
          decode: (record) => codec.decode(record.value as Buffer, record.headers),
        });
      }),
    ),
  );
  for (const line of described(result)) output.line(line);
  output.value(result);
  const count = result.differences.reduce((sum, one) => sum + one.count, 0);
  if (count > 0) throw new CommandError(`${count} differences between the log and the ledger.`);
}

function described(result: LedgerAuditResult): string[] {
  const { log, ledger, differences, records, refused, pending, cutPartitions } = result;
  const lines = [
    `${records} records read; ${refused} are no rows (dead letters), ${pending} wait for ${METRICS_SINK}.`,
    `answers        log ${log.answers}, ledger ${ledger.answers}`,
    `input tokens   log ${log.input_tokens}, ledger ${ledger.input_tokens}`,
    `output tokens  log ${log.output_tokens}, ledger ${ledger.output_tokens}`,
    `task events    log ${log.task_events}, ledger ${ledger.task_events}`,
  ];
  for (const { topic, partition, low } of cutPartitions) {
    lines.push(`${topic}[${partition}] begins at ${low}: rows of earlier records are "foreign" below.`);
  }
  for (const { sort, table, count, samples } of differences) {
    lines.push(`${sort} ${table}: ${count}`);
    for (const { tenant, key, event_id } of samples) lines.push(`  ${tenant}  ${key}  event ${event_id}`);
  }
  if (differences.length === 0) lines.push('No differences.');
  return lines;
}

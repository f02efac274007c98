import { openLedger } from '@palimpsest/ledger';
import Table from 'cli-table3';
import type { Environment } from '../environment.js';
import { CommandError, type Output } from '../output.js';
import { openDataFolder, readKey, runningInstance } from '../stack/data-folder.js';

interface Answer {
  meta: { name: string; type: string }[];
  data: Record<string, unknown>[];
}

/** `palimpsest sql "<query>"`: read-only, against the running stack or the ledger's files. */
export async function sqlCommand(query: string, environment: Environment, output: Output): Promise<void> {
  const answer = await ask(query, environment);
  output.line(answerTable(answer));
  output.value(answer.data);
}

/** Rows as a table, NULL as a dash. */
export function answerTable(answer: Answer): string {
  const table = new Table({
    head: answer.meta.map((column) => column.name),
    colAligns: answer.meta.map((column) => (/Int|Decimal|Float/.test(column.type) ? 'right' : 'left')),
    style: { head: [], border: [] },
  });
  for (const row of answer.data) {
    table.push(answer.meta.map(({ name }) => (row[name] === null ? '–' : String(row[name]))));
  }
  return table.toString();
}

/** Asks the ledger through the API of a running stack: the key's tenant, read-only. */
export async function askLedger({ url, key }: { url: string; key: string }, query: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const body = (await response.json()) as Answer & { detail?: string };
  if (!response.ok) throw new CommandError(body.detail ?? `The stack answered ${response.status}.`);
  return body;
}

async function ask(query: string, environment: Environment): Promise<Answer> {
  const folder = openDataFolder(environment.dataFolder);
  const running = runningInstance(folder);
  const key = readKey(folder);
  if (running !== null && key !== null) return askLedger({ url: running.url, key }, query);
  const ledger = await openLedger({ kind: 'embedded', path: folder.clickhouse });
  try {
    return JSON.parse(await ledger.query(query, { readonly: true, format: 'JSON' })) as Answer;
  } catch (cause) {
    throw new CommandError((cause as Error).message, { cause });
  } finally {
    await ledger.close();
  }
}

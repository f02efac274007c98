import type { BenchOptions, BenchResult } from './result.js';

const BENCHES: Record<string, () => Promise<{ run(options: BenchOptions): Promise<BenchResult> }>> = {
  throughput: () => import('./throughput.js'),
  'throughput-kafka': () => import('./throughput-kafka.js'),
  latency: () => import('./latency-kafka.js'),
  tokens: () => import('./tokens.js'),
  read: () => import('./read.js'),
  ledger: () => import('./ledger.js'),
  'ledger-query': () => import('./ledger-query.js'),
  quality: () => import('./quality.js'),
  turn: () => import('./turn.js'),
  assemble: () => import('./assemble.js'),
  cut: () => import('./cut.js'),
  replay: () => import('./replay.js'),
};

const args = process.argv.slice(2);
const name = args.find((arg) => !arg.startsWith('-')) ?? '';
const load = BENCHES[name];
if (load === undefined) {
  process.stderr.write(
    `Usage: npm run -s bench -- <${Object.keys(BENCHES).join(' | ')}> [--json] [--quick]\n`,
  );
  process.exit(2);
}
const result = await (await load()).run({ quick: args.includes('--quick') });
if (args.includes('--json')) process.stdout.write(`${JSON.stringify(result)}\n`);
else {
  const { floor, value, ratio, unit, n } = result;
  process.stdout.write(
    `${result.name}: ${value} ${unit}, floor ${floor}, ratio ${ratio} (medians of ${n})\n`,
  );
  process.stdout.write(`${JSON.stringify(result.details, null, 2)}\n`);
}

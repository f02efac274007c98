// Writes samples/runs-*.jsonl: the same task under several strategies, several times. These runs are
// SYNTHETIC. No model was called; they exist so that the cost table has something to compare, and they
// show what the ledger reports, not what a strategy is worth.
//
// The rules, all declared here:
// - every step adds a call and a result to the context, every third a pair of messages; sizes are drawn
//   from a seed around the scenario's means;
// - the input of a step is what the strategy would send of that context (generator/estimate-usage.mjs):
//   full-history sends all and grows without bound; sliding-window@v1 sends the first 3 and the last 12
//   items; three-tier@v1 caps results at 900 tokens, folds in epochs and keeps a summary;
// - `pause` is the longest wait for the user, in minutes, before every third step: a wait over 5 minutes
//   loses the provider's prompt cache; an agent that works alone (0) keeps it;
// - a strategy that forgets repeats work: `repeats` is the share of steps added;
// - outcomes are listed, one per run; a run that does not complete stops at `stopsAt` of its steps.
//   node samples/generate-runs.mjs
import { writeFileSync } from 'node:fs';
import { randomOf, tokenOf, uuidOf } from './generator/deterministic.mjs';
import { contextMeter } from './generator/estimate-usage.mjs';

const STRATEGIES = {
  'full-history': { repeats: 0, outcomes: ['completed', 'completed', 'completed', 'abandoned'], stopsAt: 0.9 },
  'sliding-window@v1': { repeats: 0.45, outcomes: ['completed', 'failed', 'completed', 'handed_over'], stopsAt: 1 },
  'three-tier@v1': { repeats: 0.05, outcomes: ['completed', 'completed', 'completed', 'completed'], stopsAt: 1 },
};

const SCENARIOS = [
  { name: 'order-refund', agent: 'shop-assistant', provider: 'openai', model: 'gpt-4o', start: '2026-10-26T08:00:00Z', pause: 16, steps: 14, fixed: 1900, result: 1900, output: 120, tools: ['get_order', 'list_payments', 'search_products', 'track_shipment'], strategies: Object.keys(STRATEGIES) },
  { name: 'bug-fix', agent: 'code-agent', provider: 'anthropic', model: 'claude-sonnet-4-5', start: '2026-11-02T08:00:00Z', pause: 0, steps: 24, fixed: 3200, result: 3400, output: 340, tools: ['read_file', 'grep', 'run', 'edit_file'], strategies: Object.keys(STRATEGIES) },
  { name: 'document-review', agent: 'report-analyst', provider: 'openai', model: 'gpt-4o-mini', start: '2026-11-12T08:00:00Z', pause: 20, steps: 12, fixed: 1500, result: 5200, output: 260, tools: ['read_document', 'load_table', 'run_query'], strategies: ['full-history', 'three-tier@v1'] },
];

const around = (random, mean) => Math.max(20, Math.round(mean * (0.4 + random.next() * 1.2)));

/** One run: a conversation that holds a task and its steps only. */
function runEvents(scenario, strategy, number) {
  const rule = STRATEGIES[strategy];
  const run = `run-${scenario.name}-${strategy.replace('@', '-')}-${number + 1}`;
  const common = { agent: scenario.agent, task_id: `${scenario.name}-${strategy.replace('@', '-')}-${number + 1}` };
  // The same draws for every strategy: run n meets the same tool results, only the context differs.
  const random = randomOf('runs', scenario.name, String(number));
  const meter = contextMeter(scenario.fixed);
  const events = [];
  const startMinute = scenario.strategies.indexOf(strategy) * 20 + number * 1460;
  let at = Date.parse(scenario.start) + startMinute * 60_000;

  const emit = (type, fields) => {
    const event_id = uuidOf(run, String(events.length));
    events.push({ type, conversation_id: run, event_id, occurred_at: new Date(at).toISOString(), ...common, ...fields });
  };

  const outcome = rule.outcomes[number];
  const planned = Math.round(scenario.steps * (1 + rule.repeats));
  const steps = outcome === 'completed' ? planned : Math.max(3, Math.round(planned * rule.stopsAt));
  emit('task_started', {});
  meter.addTokens(around(random, 180));
  for (let index = 0; index < steps; index++) {
    if (index % 3 === 0) {
      meter.addTokens(around(random, 70));
      meter.addTokens(around(random, 90));
      if (index > 0) at += random.integer(0, scenario.pause * 60_000);
    }
    const usage = meter.bill(scenario.provider, strategy, at);
    const output = around(random, scenario.output);
    const resultTokens = around(random, scenario.result);
    const latency = 900 + output * 14 + random.integer(0, 900);
    at += latency + random.integer(2000, 30_000);
    const key = `${run}/${index}`;
    const last = index === steps - 1;
    emit('step', {
      step_index: index,
      run_id: run,
      provider: scenario.provider,
      model: scenario.model,
      strategy,
      usage: { ...usage, output },
      answer_id: scenario.provider === 'anthropic' ? `msg_01${tokenOf(22, 'answer', key)}` : `chatcmpl-${tokenOf(24, 'answer', key)}`,
      request_id: `req_${tokenOf(24, 'request', key)}`,
      final: true,
      ...(!last && { tool_name: random.pick(scenario.tools), tool_result_bytes: Math.round(resultTokens * 3.4) }),
      latency_ms: latency,
      ttft_ms: 300 + random.integer(0, 500),
    });
    meter.addTokens(output);
    meter.addTokens(resultTokens, true);
  }
  at += 1500;
  emit('task_finished', { outcome });
  return events;
}

for (const scenario of SCENARIOS) {
  const numbers = STRATEGIES['full-history'].outcomes.keys();
  const events = [...numbers].flatMap((number) => scenario.strategies.flatMap((strategy) => runEvents(scenario, strategy, number)));
  writeFileSync(new URL(`./runs-${scenario.name}.jsonl`, import.meta.url), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

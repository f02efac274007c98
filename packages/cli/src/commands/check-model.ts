import { checkFacts } from '@palimpsest/fact-extractor';
import { type ModelProbe, type ProbedEndpoint, type ProbeFinding, probeModel } from '@palimpsest/llm';
import { MODEL_VARIABLES, readVariables } from '@palimpsest/service-host';
import { deploymentEnvironment } from '../environment.js';
import { CommandError, type Output, UsageError } from '../output.js';

export interface CheckModelOptions {
  url?: string;
  model?: string;
  protocol?: 'openai' | 'anthropic';
  tooLong: number;
}

/** `palimpsest check-model`: fails where the model can neither summarize nor give facts. */
export async function checkModelCommand(asked: CheckModelOptions, output: Output): Promise<void> {
  const endpoint = endpointOf(asked);
  const probe = await probeModel(
    endpoint,
    { tooLong: asked.tooLong, say: (finding) => output.line(lineOf(finding)) },
    new AbortController().signal,
  );
  showSummary(probe, output);
  const facts = showFacts(probe, output);
  output.value({ endpoint: { ...endpoint, apiKey: undefined }, ...probe, facts });
  if ('error' in probe.summary && 'error' in probe.facts)
    throw new CommandError(
      `${endpoint.model} at ${endpoint.baseUrl} gives neither a summary nor facts: see the lines above.`,
    );
}

function endpointOf({ url, model, protocol }: CheckModelOptions): ProbedEndpoint {
  const settings = readVariables(deploymentEnvironment(), MODEL_VARIABLES);
  const baseUrl = url ?? settings.modelUrl;
  const name = model ?? settings.model;
  if (baseUrl === null || name === null)
    throw new UsageError(
      'Which model? Give --url and --model, or set PALIMPSEST_MODEL_URL and PALIMPSEST_MODEL.',
    );
  return {
    protocol: protocol ?? settings.modelProtocol,
    baseUrl,
    model: name,
    timeoutMs: settings.modelTimeoutSeconds * 1000,
    // A key is sent to the address it was set for, and nowhere else.
    ...(settings.modelKey === null || baseUrl !== settings.modelUrl ? {} : { apiKey: settings.modelKey }),
  };
}

const MARKS: Record<ProbeFinding['result'], string> = { yes: 'yes ', no: 'NO  ', note: '    ' };

function lineOf({ what, result, detail }: ProbeFinding): string {
  return `${MARKS[result]} ${what}${detail === '' ? '' : `: ${detail}`}`;
}

function showSummary({ sample, summary }: ModelProbe, output: Output): void {
  output.line('\nThe sample:');
  for (const [at, message] of sample.messages.entries())
    output.line(`  [${at + 1}] ${message.role}: ${message.text}`);
  output.line('\nIts summary:');
  if ('error' in summary) return output.line(`  none: ${summary.error}`);
  output.line(`  ${summary.text.replaceAll('\n', '\n  ')}`);
  if (summary.carried.length > 0) output.line(`  carried beside it: ${summary.carried.join(', ')}`);
}

/** Facts as a service would take them, those it would refuse apart. */
function showFacts({ sample, facts }: ModelProbe, output: Output): unknown {
  output.line('\nIts facts:');
  if ('error' in facts) {
    output.line(`  none: ${facts.error}`);
    return facts;
  }
  const request = { messages: sample.messages, language: null, timeZone: null, maxTokens: 1000 };
  const checked = checkFacts(facts.facts, request);
  for (const fact of checked.facts) output.line(`  ${fact.fact_type}: ${fact.subject} — ${fact.payload}`);
  for (const { fact, why } of checked.refused)
    output.line(`  refused (${why}): ${fact.fact_type}: ${fact.subject} — ${fact.payload}`);
  if (facts.facts.length === 0) output.line('  it found none; the sample states three or more');
  return checked;
}

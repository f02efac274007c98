import { anthropicMessages } from '../anthropic/messages.js';
import type { FactsAnswer, LanguageModel, SummaryAnswer } from '../language-model.js';
import { chatCompletions } from '../openai-compatible/chat-completions.js';
import type { ChatAsk, ChatProtocol } from '../prompted/chat-protocol.js';
import { createPromptedModel } from '../prompted/prompted-model.js';
import { probeStructuredOutput } from './probe-structured-output.js';
import { type ProbedEndpoint, type RawAnswer, rawRequest } from './raw-request.js';
import { SAMPLE_CONVERSATIONS, type SampleConversation } from './sample-conversations.js';

export interface ProbeFinding {
  what: string;
  /** `no` is a fault to know of, `note` is neither good nor bad. */
  result: 'yes' | 'no' | 'note';
  detail: string;
}

export interface ModelProbe {
  findings: ProbeFinding[];
  /** The best rung that was held; null where none was. */
  rung: string | null;
  summary: SummaryAnswer | { error: string };
  facts: FactsAnswer | { error: string };
  /** What summary and facts were made of. */
  sample: SampleConversation;
}

export interface ProbeOptions {
  /** Tokens of the prompt that should be too long; 0 = not tried, since a model that takes it is paid for it. */
  tooLong: number;
  /** Called with each finding as it is made. */
  say?(finding: ProbeFinding): void;
}

const SHORT: ChatAsk = { system: 'You answer briefly.', user: 'Say the word ready.', maxTokens: 20 };
const LONG: ChatAsk = {
  system: 'You count aloud.',
  user: 'Count from one to one hundred in words.',
  maxTokens: 5,
};

/** Finds out what an endpoint can do, with about fifteen requests. Throws only for the signal. */
export async function probeModel(
  endpoint: ProbedEndpoint,
  options: ProbeOptions,
  signal: AbortSignal,
): Promise<ModelProbe> {
  const findings: ProbeFinding[] = [];
  const find = (what: string, result: ProbeFinding['result'], detail: string): void => {
    const finding = { what, result, detail };
    findings.push(finding);
    options.say?.(finding);
  };
  const protocol = protocolOf({ ...endpoint, attempts: 1 });
  await findAnswer(protocol, find, signal);
  const rungs = await probeStructuredOutput(protocol, signal);
  for (const { rung, result, detail } of rungs)
    find(
      `structured output by ${rung}`,
      result === 'held' ? 'yes' : 'no',
      detail === '' ? result : `${result}: ${detail}`,
    );
  await findLimits(endpoint, find, signal);
  await findStreamUsage(endpoint, find, signal);
  await findErrors(endpoint, options.tooLong, find, signal);
  await findParallel(endpoint, find, signal);

  const model = createPromptedModel(protocolOf({ ...endpoint, attempts: 2 }));
  const [english, ...others] = SAMPLE_CONVERSATIONS as [SampleConversation, ...SampleConversation[]];
  const summary = await summaryOf(model, english, find, signal);
  for (const sample of others) await summaryOf(model, sample, find, signal);
  const facts = await told(() =>
    model.extractFacts(
      { messages: english.messages, language: null, timeZone: null, maxTokens: 1000 },
      signal,
    ),
  );
  signal.throwIfAborted();
  const rung = rungs.find((one) => one.result === 'held')?.rung ?? null;
  return { findings, rung, summary, facts, sample: english };
}

type Find = (what: string, result: ProbeFinding['result'], detail: string) => void;

function protocolOf(endpoint: ProbedEndpoint): ChatProtocol {
  return endpoint.protocol === 'anthropic' ? anthropicMessages(endpoint) : chatCompletions(endpoint);
}

async function findAnswer(protocol: ChatProtocol, find: Find, signal: AbortSignal): Promise<void> {
  const start = performance.now();
  const answer = await told(() => protocol.complete(SHORT, signal));
  const ms = Math.round(performance.now() - start);
  if ('error' in answer) return find('answers', 'no', answer.error);
  find('answers', 'yes', `in ${ms} ms, as ${answer.model || 'no name'}, stop reason "${answer.stopReason}"`);
  const { usage } = answer;
  if (usage === null) find('says its usage', 'no', 'none in the answer: its calls stay off the bill');
  else find('says its usage', 'yes', `${usage.input} in, ${usage.output} out`);
}

/** Whether each field for an answer's limit cuts, and whether the stop reason says so. */
async function findLimits(endpoint: ProbedEndpoint, find: Find, signal: AbortSignal): Promise<void> {
  const fields = endpoint.protocol === 'anthropic' ? ['max_tokens'] : ['max_tokens', 'max_completion_tokens'];
  for (const field of fields) {
    const change = { max_tokens: undefined, [field]: LONG.maxTokens };
    const answer = await rawRequest(endpoint, LONG, change, signal);
    const reason = /"(?:finish_reason|stop_reason)"\s*:\s*"(length|max_tokens)"/u.exec(answer.text)?.[1];
    if (reason !== undefined) find(`heeds ${field}`, 'yes', `stop reason "${reason}"`);
    else find(`heeds ${field}`, 'no', answer.status === 200 ? 'the answer goes on past it' : briefly(answer));
  }
}

async function findStreamUsage(endpoint: ProbedEndpoint, find: Find, signal: AbortSignal): Promise<void> {
  const answer = await rawRequest(endpoint, SHORT, { stream: true }, signal);
  const has = /"usage"\s*:\s*\{[^}]*"(?:prompt|completion|input|output)_tokens"\s*:\s*\d/u.test(answer.text);
  const detail = answer.status === 200 ? (has ? '' : 'no usage in the stream') : briefly(answer);
  find('says its usage when streaming', has ? 'yes' : 'no', detail);
}

async function findErrors(
  endpoint: ProbedEndpoint,
  tooLong: number,
  find: Find,
  signal: AbortSignal,
): Promise<void> {
  const bad = await rawRequest(endpoint, SHORT, { temperature: 'hot' }, signal);
  find('refuses a bad parameter', bad.status === 400 || bad.status === 422 ? 'yes' : 'note', briefly(bad));
  if (tooLong === 0) return;
  const user = 'word '.repeat(tooLong);
  const long = await rawRequest(endpoint, { ...SHORT, user, maxTokens: 1 }, {}, signal);
  const what = `a prompt of ${tooLong} tokens`;
  find(what, 'note', long.status === 200 ? 'is taken (or cut without a word)' : briefly(long));
}

/** Some servers with one slot drop the request before. */
async function findParallel(endpoint: ProbedEndpoint, find: Find, signal: AbortSignal): Promise<void> {
  const ask = { ...LONG, maxTokens: 40 };
  const both = await Promise.all([
    rawRequest(endpoint, ask, { stream: true }, signal),
    rawRequest(endpoint, SHORT, {}, signal),
  ]);
  const failed = both.find(({ status, text }) => status !== 200 || text === '');
  if (failed === undefined) find('answers two at once', 'yes', '');
  else find('answers two at once', 'no', `set PALIMPSEST_MODEL_CONCURRENCY to 1: ${briefly(failed)}`);
}

async function summaryOf(
  model: LanguageModel,
  { language, messages }: SampleConversation,
  find: Find,
  signal: AbortSignal,
): Promise<SummaryAnswer | { error: string }> {
  const start = performance.now();
  const answer = await told(() => model.summarize({ messages, language: null, maxTokens: 200 }, signal));
  signal.throwIfAborted();
  const seconds = (performance.now() - start) / 1000;
  if ('error' in answer) find(`summarizes in ${language}`, 'no', answer.error);
  else {
    const tokens = answer.usage?.output ?? Math.ceil(answer.text.length / 3);
    find(`summarizes in ${language}`, 'yes', `${tokens} tokens, ${(tokens / seconds).toFixed(1)} per second`);
  }
  return answer;
}

async function told<T extends object>(call: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await call();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function briefly({ status, text, ms }: RawAnswer): string {
  const said = text.slice(0, 120).replace(/\s+/gu, ' ');
  return status === null ? `no answer after ${ms} ms (${said})` : `status ${status}: ${said}`;
}

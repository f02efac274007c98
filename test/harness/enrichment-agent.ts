import { readFileSync } from 'node:fs';
import { type ChatEvent, textPart } from '@palimpsest/events';
import { counter } from './fold-in-memory.js';

/** One step of the agent: what it must know to make its call, and what is in the log once the call has answered. */
export interface AgentStep {
  /** Written as they stand in the sources: found 5 to 30 steps ago, used in this step's arguments. */
  needs: string[];
  events: ChatEvent[];
}

const STEPS = 35;
const RESULT_TOKENS = 4000;
const PHASES = ['collect', 'verify', 'report'];
const { webPage } = (await import(new URL('../../samples/payloads/web-page.mjs', import.meta.url).href)) as {
  webPage(fragment: string): string;
};
const articles = ['coffee-article', 'bike-guide', 'grant-page', 'lease-guide', 'debate-article'].map((name) =>
  readFileSync(new URL(`../../samples/payloads/files/${name}.html`, import.meta.url), 'utf8'),
);

/**
 * An agent that enriches a company's record: rules and schemas of tools of 6,000 tokens together, 35 steps, each with a
 * page or a JSON document of about 4,000 tokens that holds a number the agent will need 5 to 30 steps later, and what it
 * decided upon it. The same in every run.
 */
export function enrichmentAgent(): { opening: ChatEvent[]; steps: AgentStep[] } {
  const record = new Recording();
  const opening = [
    record.add({ type: 'message', role: 'system', content: [textPart(rules())] }),
    record.add({ type: 'tools_declared', tools: tools() }),
    record.add({
      type: 'message',
      role: 'user',
      content: [
        textPart('Enrich the record of Kavarnia LLC: owners, sites, licences, turnover. Case CRM-88213.'),
      ],
    }),
  ];
  const steps = Array.from({ length: STEPS }, (_, step): AgentStep => {
    const events: ChatEvent[] = [];
    const phase = PHASES[Math.floor((step * PHASES.length) / STEPS)] as string;
    if (phase !== PHASES[Math.floor(((step - 1) * PHASES.length) / STEPS)]) {
      events.push(record.add({ type: 'phase', phase }));
    }
    const needs = Array.from({ length: STEPS }, (__, source) => source).flatMap((source) =>
      source + distance(source) === step ? [idOf(source), decisionOf(source)] : [],
    );
    const call_id = `call_${step}`;
    events.push(
      record.add({
        type: 'tool_call',
        call_id,
        tool: toolName(phase, step % TOOLS_PER_PHASE),
        arguments: JSON.stringify({ case: 'CRM-88213', source: step, refers_to: needs }),
        step_id: `step-${step}`,
      }),
      record.add({
        type: 'tool_result',
        call_id,
        content: [textPart(step % 2 === 0 ? page(step) : document(step))],
        content_type: null,
        is_error: false,
      }),
      record.add({
        type: 'message',
        role: 'assistant',
        content: [
          textPart(`Source ${step} is read. Decision ${decisionOf(step)}: I take ${idOf(step)} as given.`),
        ],
      }),
    );
    return { needs, events };
  });
  return { opening, steps };
}

/** How many steps later what this one found is needed. */
function distance(step: number): number {
  return 5 + ((step * 10) % 26);
}

function idOf(step: number): string {
  return step % 2 === 0 ? `UA-${40_310_000 + step * 7919}` : `LIC/2024/${1000 + step * 613}`;
}

function decisionOf(step: number): string {
  return `D-${(step * 37 + 101).toString().padStart(4, '0')}`;
}

class Recording {
  #index = 0;

  add(body: object): ChatEvent {
    const index = this.#index;
    this.#index += 1;
    return {
      event_id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      tenant: 'acme',
      conversation_id: 'enrichment',
      seq: null,
      occurred_at: 1_790_000_000_000 + index * 1000,
      client_id: null,
      task_id: 'enrichment',
      agent: 'enricher',
      ...body,
    } as ChatEvent;
  }
}

function rules(): string {
  // Within a slot of 3,000, what a message takes beside its text included.
  return filled(
    2970,
    (n) => `Rule ${n}. Where two sources disagree on field ${n}, the younger one counts; say which.`,
  );
}

const TOOLS_PER_PHASE = 4;

function toolName(phase: string, index: number): string {
  return `${phase}_source_${index}`;
}

function tools(): { name: string; summary: string; schema: string; phases: string[] }[] {
  const perTool = 3000 / (PHASES.length * TOOLS_PER_PHASE);
  return PHASES.flatMap((phase) =>
    Array.from({ length: TOOLS_PER_PHASE }, (_, index) => {
      const properties: Record<string, object> = {};
      for (let field = 0; counter.count(JSON.stringify(properties)) < perTool - 40; field += 1) {
        properties[`field_${field}`] = {
          type: 'string',
          description: `What the source says of field ${field}.`,
        };
      }
      return {
        name: toolName(phase, index),
        summary: `Reads a source of the phase ${phase}.`,
        schema: JSON.stringify({ type: 'object', properties }),
        phases: [phase],
      };
    }),
  );
}

/** A page as sites have it: styles, scripts, navigation, an article; the number stands in the middle of a register. */
function page(step: number): string {
  const row = (n: number): string =>
    `<tr><td>${n}</td><td>Company ${step}-${n}</td><td>Kyiv, Zelena ${n}</td><td>active</td></tr>\n`;
  const own = `<tr><td>own</td><td>Kavarnia LLC</td><td>${idOf(step)}</td><td>active</td></tr>\n`;
  const article = articles[step % articles.length] as string;
  const room = Math.max(400, RESULT_TOKENS - counter.count(webPage(article))) / 2;
  const rows = (from: number): string => filled(room, (n) => row(from + n), '');
  return webPage(`${article}\n<table>\n${rows(0)}${own}${rows(500)}</table>`);
}

function document(step: number): string {
  return JSON.stringify({
    ok: true,
    meta: { page: 1, next: null },
    filings: filings(0, RESULT_TOKENS / 2),
    licence: { holder: 'Kavarnia LLC', number: idOf(step), until: '2029-05-31' },
    older: filings(900, RESULT_TOKENS / 2),
  });
}

function filings(from: number, tokens: number): object[] {
  const list: object[] = [];
  for (let sum = 0, n = from; sum < tokens; n += 1) {
    const filing = { year: 1990 + (n % 30), form: `F-${n}`, pages: n % 7, note: null, by: 'registrar' };
    sum += counter.count(JSON.stringify(filing));
    list.push(filing);
  }
  return list;
}

function filled(tokens: number, line: (n: number) => string, between = '\n'): string {
  const lines: string[] = [];
  for (let sum = 0, n = 0; sum < tokens; n += 1) {
    const next = line(n);
    sum += counter.count(next + between);
    lines.push(next);
  }
  return lines.join(between);
}

import { countTool, type TokenCounter, TOOLS_OVERHEAD_TOKENS } from '@palimpsest/tokens';
import type { LeftOut } from '../account.js';
import { ANY_ARGUMENTS, type ToolDeclaration } from './tool-declaration.js';

/** A tool as it is sent. */
export interface SentTool {
  name: string;
  description: string;
  /** JSON text. */
  schema: string;
}

export interface ChosenTools {
  tools: SentTool[];
  /** As sent, with what a request with tools takes once. */
  tokens: number;
  leftOut: LeftOut[];
}

/** By its name an agent reads the schema of a tool that was sent without. */
export const RESOLVE_TOOL = 'resolve_tool_schema';

/**
 * The declared tools within `cap` tokens: those of the phase, whole while they fit; then the longest schemas become one
 * line each and `resolve_tool_schema` is added, by which the agent reads one; then lines become names; at last the ones
 * declared last are left out. Nothing depends on the messages: the tools, which stand before everything else in a
 * provider's cache, change only with the phase, the declaration or the budget.
 */
export function chooseTools(
  declared: readonly ToolDeclaration[],
  phase: string | null,
  cap: number,
  counter: TokenCounter,
): ChosenTools {
  const ofPhase = declared.filter(
    ({ phases }) => phase === null || phases.length === 0 || phases.includes(phase),
  );
  const leftOut: LeftOut[] = [];
  if (ofPhase.length < declared.length) {
    const others = declared.filter((tool) => !ofPhase.includes(tool));
    leftOut.push(leftOutOf(others, `not of the phase ${phase ?? ''}`));
  }
  let forms = ofPhase.map((tool): Form => ({ tool, sent: whole(tool), tokens: tool.tokens }));
  if (sum(forms) <= cap) return { ...sentOf(forms, []), leftOut };

  const resolver = resolverOf(ofPhase, counter);
  const room = cap - resolver.reduce((tokens, one) => tokens + one.tokens, 0);
  forms = shorten(forms, room, (tool) =>
    formOf(tool, `${oneLine(tool.summary)} Arguments: ${RESOLVE_TOOL}.`, counter),
  );
  forms = shorten(forms, room, (tool) => formOf(tool, '', counter));
  const brief = forms.filter(({ sent, tool }) => sent.schema !== tool.schema).map(({ tool }) => tool);
  const dropped: ToolDeclaration[] = [];
  while (sum(forms) > room && forms.length > 0) dropped.unshift((forms.pop() as Form).tool);
  const shortened = brief.filter((tool) => !dropped.includes(tool));
  if (shortened.length > 0)
    leftOut.push(leftOutOf(shortened, 'schemas over the slot: one line each', 'schemas'));
  if (dropped.length > 0) leftOut.push(leftOutOf(dropped, 'over the slot'));
  // Nothing can be sent, or nothing is left to resolve.
  if (forms.length === 0) return { tools: [], tokens: 0, leftOut };
  return { ...sentOf(forms, shortened.length > 0 ? resolver : []), leftOut };
}

interface Form {
  tool: ToolDeclaration;
  sent: SentTool;
  tokens: number;
}

function whole({ name, summary, schema }: ToolDeclaration): SentTool {
  return { name, description: summary, schema };
}

function formOf(tool: ToolDeclaration, description: string, counter: TokenCounter): Form {
  const sent = { name: tool.name, description, schema: ANY_ARGUMENTS };
  return { tool, sent, tokens: countTool(counter, sent) };
}

/** The forms with those replaced that gain most by it, until they fit. */
function shorten(forms: readonly Form[], room: number, shorter: (tool: ToolDeclaration) => Form): Form[] {
  const result = [...forms];
  const gains = forms
    .map((form, index) => ({ index, form: shorter(form.tool), gain: 0 }))
    .map((one) => ({ ...one, gain: (forms[one.index] as Form).tokens - one.form.tokens }))
    .filter(({ gain }) => gain > 0)
    .toSorted((a, b) => b.gain - a.gain || a.index - b.index);
  let total = sum(result);
  for (const { index, form, gain } of gains) {
    if (total <= room) break;
    result[index] = form;
    total -= gain;
  }
  return result;
}

/** Empty where the agent has declared a tool of that name itself. */
function resolverOf(
  declared: readonly ToolDeclaration[],
  counter: TokenCounter,
): { sent: SentTool; tokens: number }[] {
  if (declared.some(({ name }) => name === RESOLVE_TOOL)) return [];
  const sent = {
    name: RESOLVE_TOOL,
    description: 'Answers the schema of the arguments of a tool. Call it before a tool that names it.',
    schema: '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}',
  };
  return [{ sent, tokens: countTool(counter, sent) }];
}

function sentOf(
  forms: readonly Form[],
  resolver: readonly { sent: SentTool; tokens: number }[],
): { tools: SentTool[]; tokens: number } {
  const all = [...forms, ...resolver];
  if (all.length === 0) return { tools: [], tokens: 0 };
  return {
    tools: all.map(({ sent }) => sent),
    tokens: all.reduce((tokens, one) => tokens + one.tokens, TOOLS_OVERHEAD_TOKENS),
  };
}

/** As sent: with the frame of a request with tools. */
function sum(forms: readonly Form[]): number {
  return forms.length === 0 ? 0 : forms.reduce((tokens, form) => tokens + form.tokens, TOOLS_OVERHEAD_TOKENS);
}

const SUMMARY_CHARS = 160;

function oneLine(text: string): string {
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  return line.length <= SUMMARY_CHARS
    ? line
    : `${line
        .slice(0, SUMMARY_CHARS)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}

const NAMED = 20;

function leftOutOf(tools: readonly ToolDeclaration[], why: string, what = 'tools'): LeftOut {
  const names = tools.slice(0, NAMED).map(({ name }) => name);
  const more = tools.length > NAMED ? ` and ${tools.length - NAMED} more` : '';
  return { what: `${what} ${names.join(', ')}${more}`, why, handle: null };
}

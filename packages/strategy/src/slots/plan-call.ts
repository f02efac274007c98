import type { AssembleInput } from '../assemble.js';
import type { Note } from '../note.js';
import { currentTask } from '../state/fold-task.js';
import { stateNote } from '../state/state-text.js';
import { textField } from '../state/task-state.js';
import { type ChosenTools, chooseTools } from '../tools/choose-tools.js';
import type { ToolDeclaration } from '../tools/tool-declaration.js';
import { countTool } from '@palimpsest/tokens';
import { type SlotCaps, slotCaps } from './slot-caps.js';

/** What a call holds beside the conversation, and what it leaves for it. */
export interface CallPlan {
  caps: SlotCaps;
  phase: string | null;
  tools: ChosenTools;
  state: Note | null;
  /** Tokens for what is recalled. */
  recalledRoom: number;
  /** Tokens for rules, pins, memory, tail and the newest unit. */
  room: number;
}

/** Room kept for the working state comes in these steps, so that the tail does not move with each word of it. */
const LEAST_STATE_ROOM = 128;
/** Tools and state together take no more than this share: an agent that hears nothing needs no tools. */
const MOST_SHARE = 1 / 2;

/** Tools, working state and the room for recall: they depend on no message, and so move no part of the prefix. */
export function planCall(input: AssembleInput): CallPlan {
  const { settings, budget, state, counter } = input;
  const task = currentTask(state);
  const phase = textField(task, 'phase');
  const declared = input.tools?.tools ?? [];
  const caps = slotCaps(settings, budget, {
    tools: declared.length > 0,
    state: task !== null && task.fields?.length !== 0,
    recalled: (input.query ?? '') !== '',
    tool_results: state.totals.results > 0,
  });
  const most = Math.floor(caps.usable * MOST_SHARE);
  const tools: ChosenTools =
    caps.tools === 0
      ? { tools: [], tokens: 0, leftOut: [] }
      : chooseTools(countedBy(declared, input), phase, Math.min(caps.tools, most), counter);
  const note = caps.state === 0 ? null : stateNote(task, Math.min(caps.state, most - tools.tokens), counter);
  const stateRoom =
    note === null
      ? 0
      : Math.min(Math.max(note.tokens, Math.min(caps.state, most - tools.tokens)), stepAbove(note.tokens));
  const recalledRoom = Math.min(caps.recalled, Math.floor(most / 2));
  return {
    caps,
    phase,
    tools,
    state: note,
    recalledRoom,
    room: caps.usable - tools.tokens - stateRoom - recalledRoom,
  };
}

function stepAbove(tokens: number): number {
  let step = LEAST_STATE_ROOM;
  while (step < tokens) step *= 2;
  return step;
}

/** Declarations are counted by the view's tokenizer; another model's counts anew. */
function countedBy(declared: readonly ToolDeclaration[], input: AssembleInput): readonly ToolDeclaration[] {
  if (input.recounts !== true) return declared;
  return declared.map((tool) => ({
    ...tool,
    tokens: countTool(input.counter, { name: tool.name, description: tool.summary, schema: tool.schema }),
  }));
}

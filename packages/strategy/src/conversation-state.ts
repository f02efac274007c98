import { type Entry, type Held, hold } from './entry.js';
import type { StateField, TaskState } from './state/task-state.js';

/**
 * The folded state of one conversation: all that is needed to assemble a context of up to about `inline_tokens`
 * without reading its messages. It is a function of the set of its events and, in a conversation ordered by the log,
 * of their log order; batch boundaries and redelivery leave no trace in it.
 */
export interface ConversationState {
  /** Decided by the first event: `seq` where it carried one. */
  mode: 'seq' | 'log' | null;
  /** Highest order of any entry so far: the version of the view; late events do not move it back. */
  newest: bigint | null;
  /** Sums over every entry ever folded, evicted ones included. */
  totals: { messages: number; calls: number; results: number; tokens: number; original_tokens: number };
  settings: Map<SettingName, { value: string | boolean; order: bigint }>;
  /** By message id: the last word on whether it is pinned, with what it takes to show it. */
  pins: Map<string, Pin>;
  /** Evicted entries that always stay: the first messages, and rules. Sorted. */
  kept: Held[];
  /** The last entries that came after their place had left the window. Sorted. */
  late: Held[];
  /** The newest entries, sorted, without gap from `evicted` on. */
  window: Held[];
  /** Tokens of the window, so that a fold need not add them up. Not written: it follows from the window. */
  windowTokens: number;
  /** Highest order that has left the window. */
  evicted: bigint | null;
  /** The evicted message or call with the highest order: the rest of its step must not be shown without it. */
  evictedStep: EvictedStep | null;
  /** Per call id, evicted calls less evicted results, where not 0: results in the window whose call is gone. */
  evictedCalls: Map<string, number>;
  conflicts: number;
  /** The tasks with the newest words, by their ids. */
  tasks: Map<string, TaskState>;
  /** There have been more tasks than are kept. */
  tasksLeft: boolean;
  /** The last messages that a user corrected: id -> order of the correction. */
  corrected: Map<string, bigint>;
}

interface EvictedStep {
  order: bigint;
  kind: 'message' | 'tool_call';
  step: string | null;
}

export interface Pin {
  pinned: boolean;
  order: bigint;
  /** Originals: the message, or a call with its result. Empty while the message has not been seen. */
  held: Held[];
}

export type SettingName = 'agent_type' | 'model' | 'language' | 'time_zone' | 'verbatim' | 'full_context';

export function emptyState(): ConversationState {
  return {
    mode: null,
    newest: null,
    totals: { messages: 0, calls: 0, results: 0, tokens: 0, original_tokens: 0 },
    settings: new Map(),
    pins: new Map(),
    kept: [],
    late: [],
    window: [],
    windowTokens: 0,
    evicted: null,
    evictedStep: null,
    evictedCalls: new Map(),
    conflicts: 0,
    tasks: new Map(),
    tasksLeft: false,
    corrected: new Map(),
  };
}

/** The state as JSON with a fixed order of keys: equal states have equal bytes. */
export function writeState(state: ConversationState): string {
  return encodeState(state).toString('utf8');
}

/** The bytes of `writeState`. Entries' own bytes are copied, not written again. */
export function encodeState(state: ConversationState): Buffer {
  const settings = [...state.settings]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { value, order }]) => [name, value, order.toString()]);
  const evictedStep =
    state.evictedStep === null
      ? null
      : [state.evictedStep.order.toString(), state.evictedStep.kind, state.evictedStep.step];
  const evictedCalls = [...state.evictedCalls].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const chunks: Buffer[] = [];
  const write = (text: string): void => void chunks.push(Buffer.from(text, 'utf8'));
  write(
    `{"v":${hasTasks(state) ? 2 : 1},"mode":${JSON.stringify(state.mode)},"newest":${decimal(state.newest)},` +
      `"totals":${JSON.stringify(state.totals)},"settings":${JSON.stringify(settings)},` +
      `"evicted":${decimal(state.evicted)},"evicted_step":${JSON.stringify(evictedStep)},` +
      `"evicted_calls":${JSON.stringify(evictedCalls)},"conflicts":${state.conflicts},"pins":[`,
  );
  const pins = [...state.pins].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [index, [id, pin]] of pins.entries()) {
    write(
      `${index === 0 ? '' : ','}{"id":${JSON.stringify(id)},"pinned":${pin.pinned},"order":"${pin.order}","entries":[`,
    );
    writeList(chunks, pin.held);
    write(']}');
  }
  write('],"kept":[');
  writeList(chunks, state.kept);
  write('],"late":[');
  writeList(chunks, state.late);
  write('],"window":[');
  writeList(chunks, state.window);
  write(hasTasks(state) ? `],${tasksJson(state)}}` : ']}');
  return Buffer.concat(chunks);
}

/** A view without tasks and corrections is written as builds before them did, and can be read by those. */
function hasTasks({ tasks, tasksLeft, corrected }: ConversationState): boolean {
  return tasks.size > 0 || tasksLeft || corrected.size > 0;
}

function tasksJson({ tasks, tasksLeft, corrected }: ConversationState): string {
  const list = [...tasks.values()]
    .toSorted((a, b) => (a.task < b.task ? -1 : 1))
    .map(
      ({ task, order, fields, ignored }): TaskJson => [
        task,
        order.toString(),
        fields?.map((field) => [field.name, field.json, field.order.toString(), field.sources]) ?? null,
        ignored,
      ],
    );
  const ids = [...corrected]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, order]) => [id, order.toString()]);
  return `"tasks":${JSON.stringify(list)},"tasks_left":${tasksLeft},"corrected":${JSON.stringify(ids)}`;
}

const COMMA = Buffer.from(',');

function writeList(chunks: Buffer[], held: readonly Held[]): void {
  for (const [index, one] of held.entries()) {
    if (index > 0) chunks.push(COMMA);
    chunks.push(one.bytes);
  }
}

type FieldJson = [name: string, json: string, order: string, sources: string[]];
type TaskJson = [task: string, order: string, fields: FieldJson[] | null, ignored: number];

interface StateJson {
  v: 1 | 2;
  mode: 'seq' | 'log' | null;
  newest: string | null;
  totals: ConversationState['totals'];
  settings: [SettingName, string | boolean, string][];
  pins: { id: string; pinned: boolean; order: string; entries: Entry[] }[];
  evicted: string | null;
  evicted_step: [order: string, kind: EvictedStep['kind'], step: string | null] | null;
  evicted_calls: [string, number][];
  conflicts: number;
  kept: Entry[];
  late: Entry[];
  window: Entry[];
  tasks?: TaskJson[];
  tasks_left?: boolean;
  corrected?: [id: string, order: string][];
}

/** The inverse of `writeState`. Throws on a state of a version this build does not know. */
export function readState(json: string): ConversationState {
  const raw = JSON.parse(json) as StateJson;
  if (raw.v !== 1 && raw.v !== 2) {
    throw new Error(
      `View state of version ${String(raw.v)}; this build knows 1 and 2: start the newer build, or rebuild.`,
    );
  }
  return {
    mode: raw.mode,
    newest: raw.newest === null ? null : BigInt(raw.newest),
    totals: raw.totals,
    settings: new Map(raw.settings.map(([name, value, order]) => [name, { value, order: BigInt(order) }])),
    pins: new Map(
      raw.pins.map((pin) => [
        pin.id,
        { pinned: pin.pinned, order: BigInt(pin.order), held: pin.entries.map(hold) },
      ]),
    ),
    kept: raw.kept.map(hold),
    late: raw.late.map(hold),
    window: raw.window.map(hold),
    windowTokens: raw.window.reduce((tokens, entry) => tokens + entry.tokens, 0),
    evicted: raw.evicted === null ? null : BigInt(raw.evicted),
    evictedStep:
      raw.evicted_step === null
        ? null
        : {
            order: BigInt(raw.evicted_step[0]),
            kind: raw.evicted_step[1],
            step: raw.evicted_step[2],
          },
    evictedCalls: new Map(raw.evicted_calls),
    conflicts: raw.conflicts,
    tasks: new Map((raw.tasks ?? []).map((task) => [task[0], readTask(task)])),
    tasksLeft: raw.tasks_left ?? false,
    corrected: new Map((raw.corrected ?? []).map(([id, order]) => [id, BigInt(order)])),
  };
}

function readTask([task, order, fields, ignored]: TaskJson): TaskState {
  return { task, order: BigInt(order), fields: fields?.map(readField) ?? null, ignored };
}

function readField([name, json, order, sources]: FieldJson): StateField {
  return { name, json, order: BigInt(order), sources };
}

function decimal(value: bigint | null): string {
  return value === null ? 'null' : `"${value}"`;
}

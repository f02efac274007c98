/**
 * What the fold of one conversation remembers: which foldable events wait for a block, and which blocks were cut.
 * It is JSON in `palimpsest.derivation_state`; orders and offsets are decimal strings.
 */
export interface FoldState {
  /** Last order that lies in a block or was left behind by one; null before the first block. */
  border: string | null;
  /** Source ranges of the blocks cut so far, ascending, without overlap. */
  blocks: { from: string; to: string }[];
  /** Blocks (by index) that a late event or an unpinned message fell into: asked for again with the next block. */
  late: number[];
  /** Sorted by order, then id. */
  waiting: WaitingItem[];
  /** Ids of the last events seen, shortened: a repeated append is recognized within these. */
  recent: string[];
  /** Pinned messages and, where known, their order. */
  pins: Record<string, string | null>;
  /** Calls that never got their result and were left behind, verbatim: their late result stays with them. */
  abandoned: string[];
  /** No summary, no facts: the conversation is verbatim, has its full context, or was erased. */
  opted_out: boolean;
  verbatim: boolean;
  full_context: boolean;
  erased: boolean;
  language: string | null;
  time_zone: string | null;
  /** Absent in states written before it was known. */
  agent_type?: string | null;
  task_id: string | null;
  client_id: string | null;
  agent: string | null;
}

/** A message, call or result that no block has taken yet. */
export interface WaitingItem {
  id: string;
  order: string;
  kind: 'message' | 'tool_call' | 'tool_result';
  call?: string;
  /** Parallel calls of one step stand or fall together. */
  step?: string;
}

export function emptyFoldState(): FoldState {
  return {
    border: null,
    blocks: [],
    late: [],
    waiting: [],
    recent: [],
    pins: {},
    abandoned: [],
    opted_out: false,
    verbatim: false,
    full_context: false,
    erased: false,
    language: null,
    time_zone: null,
    agent_type: null,
    task_id: null,
    client_id: null,
    agent: null,
  };
}

import { z } from 'zod';

/**
 * What a strategy file may say. Settings that came after the first release are optional and mean, where they are absent,
 * what builds before them did: the canonical form of a strategy written earlier, and so its version, stays as it was.
 */

const share = z
  .number()
  .positive('must be tokens (a whole number from 1) or a share of the budget (below 1)')
  .max(1_000_000)
  .refine(
    (value) => value < 1 || Number.isInteger(value),
    'must be a whole number of tokens, or a share below 1',
  );
const weight = z.number().min(0).max(10);

const window = z
  .strictObject({
    /** The first messages of the conversation that always stay. */
    pinned_first: z.int().min(0).max(20).default(3),
    /** The last events that stay; null = as many as the budget holds. */
    messages: z.int().min(1).max(1000).nullable().default(null),
    /**
     * Tokens of the newest renditions that lie ready in the view's row. A quarter above the usual budget: nearer to it,
     * and above, the messages table is read as well.
     */
    inline_tokens: z.int().min(500).max(100_000).default(10_000),
    /** The newest long answers of the assistant stay word for word after they left the window; absent = none. */
    large_replies: z
      .strictObject({
        keep: z.int().min(1).max(8).default(2),
        from_tokens: z.int().min(50).max(8000).default(300),
      })
      .optional(),
  })
  .prefault({});

const cut = z
  .strictObject({
    /** `over_budget`: originals are shown while the whole conversation fits. `always`: typed cutting first. */
    when: z.enum(['over_budget', 'always']).default('over_budget'),
    tool_result_tokens: z.int().min(64).max(100_000).default(2000),
    tool_call_tokens: z.int().min(64).max(100_000).default(1000),
    message_tokens: z.int().min(64).max(200_000).default(32_000),
  })
  .prefault({});

/** Summary leaves over blocks of events; null = none. */
const summary = z
  .strictObject({
    block: z.int().min(4).max(200).default(20),
    keep_live: z.int().min(2).max(200).default(10),
    /** Of one leaf. */
    leaf_tokens: z.int().min(32).max(4000).default(250),
    /** Of all leaves in a context. */
    max_tokens: z.int().min(64).max(16_000).default(1200),
    /** `drop`: sentences with digits are not shown; numbers belong to facts, which carry their source. */
    numbers: z.enum(['keep', 'drop']).optional(),
  })
  .nullable()
  .default(null);

/**
 * Parts of the whole call, each in tokens or as a share of the budget. `tools`, `state` and `recalled` are sent only
 * where they have a slot. Where the budget is smaller than the slots together, or they are shares, slots that the
 * conversation has something for divide the budget in their proportion.
 */
const slots = z
  .strictObject({
    /** Rules. More is an error for their author to mend (`refuse`), or a warning (`cut`). */
    system: share.optional(),
    system_overflow: z.enum(['refuse', 'cut']).default('refuse'),
    /** Tool schemas: pruned by phase, then names with summaries, then names. */
    tools: share.optional(),
    /** Working state of the current task: its oldest fields are folded first. */
    state: share.optional(),
    /** Results of tools: cut by type, the older ones down to a handle. */
    tool_results: share.optional(),
    /** What a query recalls: the lowest scores are dropped. */
    recalled: share.optional(),
    /** Messages and calls before the newest: folded into memory. */
    tail: share.optional(),
    /** Facts, summary, identifiers, delta and weighed messages together. */
    memory: share.optional(),
  })
  .optional();

/** Messages that left the tail stay where their weight, from 0 to 1, reaches the threshold. */
const weights = z
  .strictObject({
    recency: weight.default(0.3),
    similarity: weight.default(0.3),
    entities: weight.default(0.2),
    centrality: weight.default(0.2),
    correction: weight.default(0.2),
    threshold: z.number().min(0).max(1).default(0.45),
    /** Of the room for memory and tail. */
    share: z.number().min(0.01).max(0.6).default(0.2),
  })
  .optional();

/** What left the tail as one line per message with its place, at a ratio to its tokens. */
const delta = z
  .strictObject({
    ratio: z.int().min(2).max(50).default(4),
    max_tokens: z.int().min(64).max(16_000).default(1200),
  })
  .optional();

const recall = z
  .strictObject({
    top: z.int().min(1).max(50).default(8),
    /** Hits whose lexical score, from 0 to 1, is below it are dropped. */
    score_floor: z.number().min(0).max(1).default(0.2),
  })
  .optional();

const budget = z
  .strictObject({
    default: z.int().min(200).max(1_000_000).default(8000),
    /** Share of the budget that is never used. */
    headroom: z.number().min(0).max(0.5).default(0),
    /** A call above this is refused with a dump of what it held; absent = never. */
    kill_above: z.int().min(1000).max(10_000_000).optional(),
  })
  .prefault({});

/** A strategy: the rule by which a conversation becomes a context. */
export const strategySchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower case letters, digits and dashes'),
  description: z.string().default(''),
  window,
  cut,
  summary,
  facts: z
    .strictObject({ max_tokens: z.int().min(32).max(8000).default(400) })
    .nullable()
    .default(null),
  /** Identifiers and names of what is left out, as a list beside facts and summaries; null = none. */
  identifiers: z
    .strictObject({ max_tokens: z.int().min(32).max(16_000).default(3000) })
    .nullable()
    .prefault({}),
  budget,
  slots,
  weights,
  delta,
  recall,
});

export type StrategySettings = z.infer<typeof strategySchema>;

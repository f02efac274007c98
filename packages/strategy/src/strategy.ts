import { createHash } from 'node:crypto';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

/**
 * A strategy: the rule by which a conversation becomes a context. Written as YAML (`strategies/*.yaml`); the hash of
 * its canonical form is its version, so two files that say the same are the same strategy.
 */
const schema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower case letters, digits and dashes'),
  description: z.string().default(''),
  window: z
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
    })
    .prefault({}),
  cut: z
    .strictObject({
      /** `over_budget`: originals are shown while the whole conversation fits. `always`: typed cutting first. */
      when: z.enum(['over_budget', 'always']).default('over_budget'),
      tool_result_tokens: z.int().min(64).max(100_000).default(2000),
      tool_call_tokens: z.int().min(64).max(100_000).default(1000),
      message_tokens: z.int().min(64).max(200_000).default(32_000),
    })
    .prefault({}),
  /** Summary leaves over blocks of events; null = none. */
  summary: z
    .strictObject({
      block: z.int().min(4).max(200).default(20),
      keep_live: z.int().min(2).max(200).default(10),
      /** Of one leaf. */
      leaf_tokens: z.int().min(32).max(4000).default(250),
      /** Of all leaves in a context. */
      max_tokens: z.int().min(64).max(16_000).default(1200),
    })
    .nullable()
    .default(null),
  facts: z
    .strictObject({ max_tokens: z.int().min(32).max(8000).default(400) })
    .nullable()
    .default(null),
  /** Identifiers and names of what is left out, as a list beside facts and summaries; null = none. */
  identifiers: z
    .strictObject({ max_tokens: z.int().min(32).max(16_000).default(3000) })
    .nullable()
    .prefault({}),
  budget: z
    .strictObject({
      default: z.int().min(200).max(1_000_000).default(8000),
      /** Share of the budget that is never used. */
      headroom: z.number().min(0).max(0.5).default(0),
    })
    .prefault({}),
});

export type StrategySettings = z.infer<typeof schema>;

export interface Strategy {
  settings: StrategySettings;
  /** First 12 hex digits of the SHA-256 of `canonical`. */
  version: string;
  /** `name@version`. */
  label: string;
  /** JSON with keys in schema order and all defaults written out. */
  canonical: string;
}

/** A strategy file that does not say what a strategy must; the message names file, line, field and remedy. */
export class StrategyFileError extends Error {
  override name = 'StrategyFileError';
}

/** Reads a strategy from YAML text. `file` is only for messages. Throws StrategyFileError. */
export function parseStrategy(text: string, file: string): Strategy {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const broken = document.errors[0];
  if (broken !== undefined) {
    throw new StrategyFileError(`${file}:${broken.linePos?.[0].line ?? 1}: not YAML: ${broken.message}`);
  }
  const parsed = schema.safeParse(document.toJS());
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const node = document.getIn(issue.path.map(String), true) as {
        range?: [number, number, number];
      } | null;
      const line = node?.range === undefined ? 1 : lines.linePos(node.range[0]).line;
      return `${file}:${line}: ${issue.path.join('.') || 'strategy'}: ${issue.message}`;
    });
    throw new StrategyFileError(problems.join('\n'));
  }
  return toStrategy(parsed.data);
}

/** The strategy whose canonical JSON was stored with a generation. */
export function strategyFromCanonical(canonical: string): Strategy {
  return toStrategy(schema.parse(JSON.parse(canonical)));
}

function toStrategy(settings: StrategySettings): Strategy {
  const canonical = JSON.stringify(settings);
  const version = createHash('sha256').update(canonical).digest('hex').slice(0, 12);
  return { settings, version, label: `${settings.name}@${version}`, canonical };
}

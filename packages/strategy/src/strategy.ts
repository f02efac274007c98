import { createHash } from 'node:crypto';
import { LineCounter, parseDocument } from 'yaml';
import { strategyProblems } from './strategy-problems.js';
import { type StrategySettings, strategySchema } from './strategy-settings.js';

export type { StrategySettings } from './strategy-settings.js';

/**
 * A strategy, written as YAML (`strategies/*.yaml`); the hash of its canonical form is its version, so two files that
 * say the same are the same strategy.
 */
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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new StrategyFileError(
      document.errors
        .map((broken) => `${file}:${broken.linePos?.[0].line ?? 1}: not YAML: ${firstLine(broken.message)}`)
        .join('\n'),
    );
  }
  const parsed = strategySchema.safeParse(valueOf(document, file), { reportInput: true });
  if (parsed.success) return toStrategy(parsed.data);
  throw new StrategyFileError(strategyProblems(parsed.error.issues, document, lines, file).join('\n'));
}

/** The strategy whose canonical JSON was stored with a generation. */
export function strategyFromCanonical(canonical: string): Strategy {
  return toStrategy(strategySchema.parse(JSON.parse(canonical)));
}

/** Aliases are followed up to a bound: a file of ten lines can ask for a billion nodes. */
function valueOf(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new StrategyFileError(`${file}:1: aliases that cannot be followed: write the values out.`, {
      cause,
    });
  }
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function toStrategy(settings: StrategySettings): Strategy {
  const canonical = JSON.stringify(settings);
  const version = createHash('sha256').update(canonical).digest('hex').slice(0, 12);
  return { settings, version, label: `${settings.name}@${version}`, canonical };
}

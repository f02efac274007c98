import { pricePerToken } from './money.js';
import type { Price } from './price-book.js';
import { billingProvider } from './provider-semantics.js';

export interface LitellmImport {
  prices: Price[];
  /** Models of the file that are left out, and why. */
  left: { model: string; reason: string }[];
}

export interface LitellmOptions {
  /** Milliseconds since 1970: the file does not say since when its prices hold. */
  validFrom: number;
  /** Where the file came from, for `source`. */
  source: string;
  /** True: a model whose every price is 0 is free. Else it is left out: the file writes 0 also for "not known". */
  free?: boolean;
}

/** Our kinds by LiteLLM's names. A tier's names have `_above_<n>k_tokens` behind them. */
const KINDS = {
  input: 'input_cost_per_token',
  cache_read: 'cache_read_input_token_cost',
  cache_write_5m: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
  output: 'output_cost_per_token',
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

const TIER = /_above_(\d+)k_tokens$/;

/**
 * LiteLLM's `model_prices_and_context_window.json` as price lines, in dollars per million tokens and exact. A name like
 * `gemini/gemini-2.5-pro` is taken without its provider where `litellm_provider` says the same. A tier's line has the
 * base price for what the tier does not name. Batch, flex and priority prices are not taken: a step does not say them.
 * Throws where the file as a whole is not of that form.
 */
export function readLitellmPrices(file: unknown, options: LitellmOptions): LitellmImport {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    throw new Error(
      'This is no LiteLLM price file: it must be one JSON object with a member for each model.',
    );
  }
  const prices: Price[] = [];
  const left: LitellmImport['left'] = [];
  for (const [name, entry] of Object.entries(file as Record<string, unknown>)) {
    if (name === 'sample_spec') continue;
    const found = linesOf(name, entry, options);
    if (typeof found === 'string') left.push({ model: name, reason: found });
    else prices.push(...found);
  }
  return { prices, left };
}

type Entry = Readonly<Record<string, unknown>>;

/** The lines of one model, or why there are none. */
function linesOf(name: string, value: unknown, options: LitellmOptions): Price[] | string {
  if (typeof value !== 'object' || value === null) return 'is no object';
  const entry = value as Entry;
  const named = entry['litellm_provider'];
  if (typeof named !== 'string' || named === '') return 'names no litellm_provider';
  try {
    const base = amountsOf(entry, (kind) => KINDS[kind]);
    if (base.input === null && base.output === null) return 'has no price per token';
    const tiers = tiersOf(entry, base);
    if (options.free !== true && isFree([base, ...tiers.values()])) return 'says 0 for everything';
    const provider = billingProvider(named);
    const model = name.startsWith(`${named}/`) ? name.slice(named.length + 1) : name;
    return [[0, base] as const, ...tiers].map(([context_above, amounts]) => ({
      provider,
      model,
      valid_from: options.validFrom,
      valid_until: null,
      context_above,
      currency: 'USD',
      ...amounts,
      source: options.source,
    }));
  } catch (error) {
    return (error as Error).message;
  }
}

type Amounts = Record<Kind, string | null>;

function tiersOf(entry: Entry, base: Amounts): Map<number, Amounts> {
  const sizes = new Set<number>();
  for (const field of Object.keys(entry)) {
    const size = TIER.exec(field)?.[1];
    const isPriced = size !== undefined && KIND_NAMES.some((kind) => field === tierName(kind, Number(size)));
    if (isPriced) sizes.add(Number(size));
  }
  const tiers = new Map<number, Amounts>();
  for (const size of [...sizes].toSorted((a, b) => a - b)) {
    const named = amountsOf(entry, (kind) => tierName(kind, size));
    const whole = KIND_NAMES.map((kind) => [kind, named[kind] ?? base[kind]] as const);
    tiers.set(size * 1000, Object.fromEntries(whole) as Amounts);
  }
  return tiers;
}

function tierName(kind: Kind, size: number): string {
  return `${KINDS[kind]}_above_${size}k_tokens`;
}

function amountsOf(entry: Entry, fieldOf: (kind: Kind) => string): Amounts {
  const amounts = KIND_NAMES.map((kind) => {
    const field = fieldOf(kind);
    const value = entry[field];
    return [kind, value === undefined || value === null ? null : perMillion(field, value)] as const;
  });
  return Object.fromEntries(amounts) as Amounts;
}

function isFree(lines: readonly Amounts[]): boolean {
  return lines.every((line) =>
    Object.values(line).every((amount) => amount === null || Number(amount) === 0),
  );
}

/**
 * Dollars per token as dollars per million, without the noise of a multiplication: the shortest text of the number
 * with its point moved. Throws for what the ledger cannot charge exactly.
 */
function perMillion(field: string, value: unknown): string {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(
    String(typeof value === 'string' ? Number(value) : value),
  );
  if ((typeof value !== 'number' && typeof value !== 'string') || value === '' || match === null) {
    throw new Error(`${field} is ${JSON.stringify(value)}, which is no price`);
  }
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const point = whole.length + Number(exponent) + 6;
  const digits = `${whole}${fraction}`;
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), '0').padEnd(point, '0');
  const at = Math.max(point, 1);
  const text = `${padded.slice(0, at).replace(/^0+(?=\d)/, '')}.${padded.slice(at)}`.replace(/\.?0*$/, '');
  const amount = text === '' ? '0' : text;
  try {
    pricePerToken(amount);
  } catch (cause) {
    throw new Error(`${field} is ${String(value)}: finer or greater than the ledger can charge exactly`, {
      cause,
    });
  }
  return amount;
}

/** What a process is told by its environment: names and text, as in `process.env`. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** One environment variable. Without `fallback` it must be set; an empty text counts as not set. */
export interface Variable<T> {
  name: `PALIMPSEST_${string}`;
  /** What the operator decides by it: the row of docs/configuration.md. */
  decides: string;
  /** How a right value looks; stands in the error about a wrong one. */
  wants: string;
  /** Its value never stands in an error or a log. */
  isSecret?: boolean;
  /** Undefined for a text that is no such value. */
  parse(text: string): T | undefined;
  fallback?: T;
}

export type Variables = Readonly<Record<string, Variable<unknown>>>;
export type SettingsOf<V extends Variables> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never;
};

/** The environment is not as it must be; the message has a line per variable, with the remedy. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** Reads all variables. Throws one SettingsError that names everything that is missing or wrong. */
export function readVariables<V extends Variables>(
  environment: ProcessEnvironment,
  variables: V,
): SettingsOf<V> {
  const settings: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [key, variable] of Object.entries(variables)) {
    const text = environment[variable.name];
    if (text === undefined || text === '') {
      if ('fallback' in variable) settings[key] = variable.fallback;
      else wrong.push(`${variable.name} is not set: give ${variable.wants} (${variable.decides}).`);
      continue;
    }
    const value = variable.parse(text);
    if (value !== undefined) settings[key] = value;
    else {
      const said = variable.isSecret === true ? 'is not usable' : `is "${text}"`;
      wrong.push(`${variable.name} ${said}: give ${variable.wants} (${variable.decides}).`);
    }
  }
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return settings as SettingsOf<V>;
}

/** Variables that carry our prefix and mean nothing to this process: a wrong name, or another service's. */
export function unknownVariables(environment: ProcessEnvironment, known: readonly string[]): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith('PALIMPSEST_') && environment[name] !== '' && !known.includes(name),
  );
}

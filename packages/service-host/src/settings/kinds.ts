import type { Variable } from './read-variables.js';

type Name = Variable<unknown>['name'];
/** What is left to say of a variable once its kind is known. */
interface About<T> {
  decides: string;
  fallback?: T;
}
interface AboutText<T> extends About<T> {
  wants: string;
  isSecret?: boolean;
}

export function text<T extends string | null = string>(
  name: Name,
  about: AboutText<T>,
): Variable<string | T> {
  return { ...about, name, parse: (given) => given };
}

export function whole(
  name: Name,
  about: About<number> & { min: number; max: number; unit?: string },
): Variable<number> {
  const { min, max, unit, ...rest } = about;
  return {
    ...rest,
    name,
    wants: `a whole number${unit === undefined ? '' : ` of ${unit}`} from ${min} to ${max}`,
    parse(given) {
      const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function port(name: Name, about: About<number>): Variable<number> {
  return {
    ...whole(name, { ...about, min: 0, max: 65_535 }),
    wants: 'a port from 0 (any free one) to 65535',
  };
}

export function choice<const C extends string>(
  name: Name,
  options: readonly C[],
  about: About<NoInfer<C>>,
): Variable<C> {
  return {
    ...about,
    name,
    wants: `one of ${options.join(', ')}`,
    parse: (given) => options.find((option) => option === given),
  };
}

/** A URL that may hold a password, so that it is never shown. */
export function url<T extends string | null = string>(
  name: Name,
  about: About<T> & { protocols: readonly string[]; example: string },
): Variable<string | T> {
  const { protocols, example, ...rest } = about;
  return {
    ...rest,
    name,
    wants: `a URL like ${example}`,
    isSecret: true,
    parse(given) {
      if (!URL.canParse(given)) return undefined;
      return protocols.includes(new URL(given).protocol.replace(/:$/, '')) ? given : undefined;
    },
  };
}

/** `host:port` each, with commas between. */
export function addresses(name: Name, about: About<readonly string[]>): Variable<readonly string[]> {
  return {
    ...about,
    name,
    wants: 'host:port, several with commas between',
    parse(given) {
      const parts = given.split(',').map((part) => part.trim());
      return parts.every((part) => /^[^\s:/]+:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$/i.test(part))
        ? parts
        : undefined;
    },
  };
}

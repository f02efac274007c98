/** Where a command writes: results on stdout, progress on stderr. `json`: one JSON value as the whole result. */
export interface Output {
  readonly json: boolean;
  /** A line of the result; nothing in JSON mode. */
  line(text: string): void;
  /** The whole result in JSON mode; nothing otherwise. */
  value(value: unknown): void;
  progress(text: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    line: (text) => {
      if (!json) process.stdout.write(`${text}\n`);
    },
    value: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    progress: (text) => {
      process.stderr.write(`${text}\n`);
    },
  };
}

/** A command that failed for a reason the user can act on: printed without a stack, exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export interface ConnectOptions {
  bootstrap: readonly string[];
  /** Settings of the worker and of its one connector, by Connect's names, over the defaults. */
  worker: Readonly<Record<string, string>>;
  connector: Readonly<Record<string, string>>;
}

export interface RunningConnect {
  pid: number | undefined;
  /** Resolves when the process has ended, for whatever reason. */
  ended: Promise<unknown>;
  /** What it has logged so far. */
  log(): string;
  stop(): Promise<void>;
}

export function startConnect(options: ConnectOptions): Promise<RunningConnect>;

export interface StartOptions {
  /** Data, settings and logs; a folder used before keeps its data. */
  folder: string;
  /** Default 1. Three keep three copies of everything. */
  brokers?: number;
  /** Leave the brokers running when this process ends. */
  detached?: boolean;
  /** More flags for the JVM. */
  jvm?: readonly string[];
  /** More broker settings, over the defaults. */
  settings?: Readonly<Record<string, string | number | boolean>>;
  /** A second listener with TLS and SASL (PLAIN and SCRAM) beside the open one; passwords by user. */
  secure?: { users: Readonly<Record<string, string>> };
}

export interface RunningCluster {
  /** `host:port` of each broker. */
  bootstrap: string[];
  /** The same brokers by their TLS and SASL listener, and the PEM file of what signed their certificate. */
  secure?: { bootstrap: string[]; caFile: string };
  pids: number[];
  /** Resolves when clients can use the cluster. */
  ready(): Promise<void>;
  /** Ends all brokers, by SIGTERM unless told otherwise. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  kill(id: number): Promise<void>;
  restart(id: number): void;
}

export function startCluster(options: StartOptions): Promise<RunningCluster>;

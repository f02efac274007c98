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
}

export interface RunningCluster {
  /** `host:port` of each broker. */
  bootstrap: string[];
  pids: number[];
  /** Resolves when clients can use the cluster. */
  ready(): Promise<void>;
  /** Ends all brokers, by SIGTERM unless told otherwise. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  kill(id: number): Promise<void>;
  restart(id: number): void;
}

export function startCluster(options: StartOptions): Promise<RunningCluster>;

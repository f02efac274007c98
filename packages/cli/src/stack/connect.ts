import type { Environment } from '../environment.js';
import { openDataFolder, readKey, runningInstance } from './data-folder.js';
import { type EmbeddedStack, startEmbeddedStack } from './embedded-stack.js';

/** An API to talk to: of a stack that runs already, or of one started for this command. */
export interface Connection {
  url: string;
  key: string;
  /** The stack, where it was started for this command. */
  stack: EmbeddedStack | null;
}

/**
 * Runs a command against the stack of the data folder: the running one over HTTP, else one started for the command
 * and stopped after it.
 */
export async function withStack<T>(
  environment: Environment,
  say: (line: string) => void,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const folder = openDataFolder(environment.dataFolder);
  const running = runningInstance(folder);
  const key = readKey(folder);
  if (running !== null && key !== null) return work({ url: running.url, key, stack: null });
  const stack = await startEmbeddedStack({ ...environment, port: 0 }, say);
  try {
    return await work({ url: stack.url, key: stack.key, stack });
  } finally {
    await stack.stop();
  }
}

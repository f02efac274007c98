export const kafkaFolder: string;
export function missingTool(): string | undefined;
export function fetchJars(): Promise<string>;
export function fetchPom(
  name: string,
  file: string,
  prepare?: (folder: string) => void | Promise<void>,
): Promise<string>;

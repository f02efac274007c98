export const kafkaFolder: string;
export function missingTool(): string | undefined;
export function fetchJars(): Promise<string>;

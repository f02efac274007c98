/** The codes of Confluent's registry, which its clients know. */
export type RegistryErrorCode =
  | 401
  | 404
  | 405
  | 409
  | 422
  | 40401
  | 40402
  | 40403
  | 40408
  | 42201
  | 42202
  | 42203
  | 500;

/** The registry answered, and the answer is no: asking again is useless. */
export class RegistryError extends Error {
  override name = 'RegistryError';
  readonly retryable = false;
  /** Also the HTTP status in its first three digits. A registry of others may send codes of its own. */
  readonly errorCode: RegistryErrorCode | (number & {});
  /** Of code 409: one per version and direction. */
  readonly messages: readonly string[];

  constructor(
    errorCode: RegistryErrorCode | (number & {}),
    message: string,
    options: ErrorOptions & { messages?: readonly string[] } = {},
  ) {
    super(message, options);
    this.errorCode = errorCode;
    this.messages = options.messages ?? [];
  }

  get status(): number {
    return Number(String(this.errorCode).slice(0, 3));
  }
}

/** The registry cannot answer now: down, overloaded, timed out. The caller waits and asks again; nothing is remembered. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';
  readonly retryable = true;
}

export function subjectNotFound(subject: string): RegistryError {
  return new RegistryError(40401, `Subject '${subject}' not found.`);
}

export function versionNotFound(version: number | string): RegistryError {
  return new RegistryError(40402, `Version ${version} not found.`);
}

export function schemaNotFound(): RegistryError {
  return new RegistryError(40403, 'Schema not found');
}

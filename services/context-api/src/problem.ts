import { STATUS_CODES } from 'node:http';

/** One thing that is wrong with a request. */
export interface FieldError {
  /** `/events/3/role` in the body (JSON pointer), `?budget` in the query, `:id` in the path. */
  path: string;
  message: string;
  remedy?: string;
}

const KINDS = {
  'invalid-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'position-not-reached': 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  'floor-above-budget': 422,
  'above-kill-switch': 422,
  'not-json': 422,
  'too-many-requests': 429,
  internal: 500,
  'not-implemented': 501,
  unavailable: 503,
} as const;
export type ProblemKind = keyof typeof KINDS;

export interface ProblemDetails {
  errors?: readonly FieldError[];
  headers?: Readonly<Record<string, string>>;
  /** Further members of the problem document. */
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** An answer of RFC 9457. Throw it anywhere under a route; `detail` is read by the client, so it names no one else's data. */
export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ProblemKind;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  private readonly errors: readonly FieldError[] | undefined;
  private readonly members: Readonly<Record<string, unknown>>;

  constructor(kind: ProblemKind, detail: string, details: ProblemDetails = {}) {
    super(detail, { cause: details.cause });
    this.kind = kind;
    this.statusCode = KINDS[kind];
    this.errors = details.errors;
    this.headers = details.headers ?? {};
    this.members = details.members ?? {};
  }

  /** The problem document: type, title, status, detail, errors, and what the kind adds. */
  document(): Record<string, unknown> {
    return {
      type: `urn:palimpsest:problem:${this.kind}`,
      title: STATUS_CODES[this.statusCode] ?? 'Error',
      status: this.statusCode,
      detail: this.message,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
      ...this.members,
    };
  }
}

/** 400 for one field. */
export function invalidField(path: string, message: string, remedy?: string): Problem {
  const error: FieldError = remedy === undefined ? { path, message } : { path, message, remedy };
  return new Problem('invalid-request', `${path} ${message}.`, { errors: [error] });
}

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeIssues, jsonPointer } from './describe-issues.js';
import { Problem } from './problem.js';

/** Id of a conversation or task in a path, as events allow it. */
export const pathId = z
  .string()
  .min(1)
  .max(512)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must not hold NUL or lone surrogates');

/** A whole number in a query, where everything is text. */
export function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      message: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
    .meta({ description: `A whole number from ${min} to ${max}.` });
}

/** Routes give zod schemas; what they refuse is a 400 that names the fields. Answers are written as they are. */
export function validateWithZod(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (value: unknown) => {
    const result = schema.safeParse(value);
    if (result.success) return { value: result.data };
    return { error: refusal(result.error, httpPart ?? 'body') };
  });
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
}

function refusal(error: z.ZodError, part: string): Problem {
  const { errors, total } = describeIssues(error.issues, (path) => pathIn(part, path));
  const first = errors[0];
  const more = total > 1 ? ` (and ${total - 1} more)` : '';
  return new Problem('invalid-request', `${first?.path || 'The body'} ${first?.message}${more}.`, { errors });
}

function pathIn(part: string, path: readonly PropertyKey[]): string {
  if (part === 'querystring') return `?${path.map(String).join('/')}`;
  if (part === 'params') return `:${path.map(String).join('/')}`;
  return jsonPointer(path);
}

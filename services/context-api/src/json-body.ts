import { parseJson } from '@palimpsest/events';
import { Problem } from './problem.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A request's body as values, with numbers kept as written. Bytes that are not UTF-8, text that is not JSON, and
 * nesting beyond what `parseJson` takes are refused with 400; another charset with 415.
 */
export function parseBody(body: Buffer, contentType: string | undefined): unknown {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new Problem('unsupported-media-type', 'The body must be application/json in UTF-8.');
  }
  if (body.length === 0) throw invalid('The body is empty: it must be JSON.');
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw invalid('The body is not valid UTF-8.', cause);
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw invalid(`The body is not valid JSON${whereOf(cause as Error)}.`, cause);
  }
}

function invalid(detail: string, cause?: unknown): Problem {
  return new Problem('invalid-request', detail, { errors: [{ path: '', message: detail }], cause });
}

/** What may be told of a parser's message: where, and that it was too deep; never the text around it. */
function whereOf({ message }: Error): string {
  const told = /nested deeper than \d+ levels|position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return told === undefined ? '' : ` (${told})`;
}

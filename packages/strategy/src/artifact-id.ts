import { createHash } from 'node:crypto';

/**
 * Id of an original (24 hex digits). Content-addressed, and never the same for two tenants: an id found by one says
 * nothing about another's data.
 */
export function artifactId(tenant: string, content: string): string {
  return createHash('sha256').update(tenant).update('\0').update(content).digest('hex').slice(0, 24);
}

/**
 * What a provider asks to wait, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110), the
 * `retry-after-ms` of Azure and OpenAI, or null.
 */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | null {
  const exact = headers.get('retry-after-ms');
  if (exact !== null && /^\d+(\.\d+)?$/u.test(exact.trim())) return Number(exact);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/u.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

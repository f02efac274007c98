import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  keyId: string;
  secret: string;
  /** Of temporary credentials. */
  sessionToken?: string | undefined;
}

export interface Unsigned {
  method: string;
  url: URL;
  body: Uint8Array;
  region: string;
}

/**
 * The headers of a request to S3 with its signature: AWS Signature Version 4, the payload hashed
 * (docs.aws.amazon.com, "Authenticating Requests: Using the Authorization Header"). `now` is the time of signing.
 */
export function signRequest(request: Unsigned, credentials: Credentials, now: Date): Record<string, string> {
  const { method, url, body, region } = request;
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': stamp,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [stamp.slice(0, 8), region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${credentials.secret}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const { host: _, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.keyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** Query parameters by name, encoded as the signature wants them (RFC 3986, more than URLSearchParams does). */
export function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

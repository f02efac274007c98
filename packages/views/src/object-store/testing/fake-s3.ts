import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Credentials, signRequest } from '../sign-request.js';

export interface FakeS3 {
  endpoint: string;
  /** Objects by `bucket/key`. */
  objects: Map<string, Buffer>;
  /** Statuses of the next answers, in place of what would be answered. */
  failNext: number[];
  requests: number;
  close(): Promise<void>;
}

const REGION = 'eu-test-1';
/** Few, so that a short listing has several pages. */
const PAGE = 2;

/** As much of S3's protocol as the store uses, on a free port of loopback: signatures and payload hashes are checked. */
export async function startFakeS3(credentials: Credentials, bucket: string): Promise<FakeS3> {
  const fake: FakeS3 = {
    endpoint: '',
    objects: new Map(),
    failNext: [],
    requests: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    fake.requests += 1;
    const answer = (status: number, content: string | Buffer = '') => {
      response.writeHead(status).end(content);
    };
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const failure = fake.failNext.shift();
    if (failure !== undefined) return answer(failure, `<Error><Code>Failure${failure}</Code></Error>`);
    if (!isSigned(request, url, body, credentials)) {
      return answer(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>');
    }
    const name = decodeURIComponent(url.pathname.slice(1));
    if (!name.startsWith(`${bucket}/`)) return answer(404, '<Error><Code>NoSuchBucket</Code></Error>');
    if (url.searchParams.get('list-type') === '2') return answer(200, listing(fake.objects, bucket, url));
    if (request.method === 'PUT') {
      fake.objects.set(name, body);
      return answer(200);
    }
    if (request.method === 'DELETE') {
      fake.objects.delete(name);
      return answer(204);
    }
    const found = fake.objects.get(name);
    return found === undefined ? answer(404, '<Error><Code>NoSuchKey</Code></Error>') : answer(200, found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

export const FAKE_REGION = REGION;

function isSigned(request: IncomingMessage, url: URL, body: Buffer, credentials: Credentials): boolean {
  const stamp = String(request.headers['x-amz-date'] ?? '');
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp);
  if (parts === null) return false;
  const [, year, month, day, hour, minute, second] = parts;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const expected = signRequest({ method: request.method ?? '', url, body, region: REGION }, credentials, at);
  const hash = createHash('sha256').update(body).digest('hex');
  return (
    request.headers.authorization === expected['authorization'] &&
    request.headers['x-amz-content-sha256'] === hash
  );
}

function listing(objects: ReadonlyMap<string, Buffer>, bucket: string, url: URL): string {
  const prefix = `${bucket}/${url.searchParams.get('prefix') ?? ''}`;
  const after = url.searchParams.get('continuation-token') ?? '';
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).toSorted();
  const page = names.slice(0, PAGE);
  const contents = page.map((name) => `<Contents><Key>${name.slice(bucket.length + 1)}</Key></Contents>`);
  const next = names.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult>${contents.join('')}${next}</ListBucketResult>`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { S3Client, type S3ClientOptions } from './s3-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let asked: string[];
let answer: Answer;
const signal = new AbortController().signal;
const client = new OutgoingClient();

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function bucketOf(options: Partial<S3ClientOptions> = {}): S3Client {
  const { port } = server.address() as AddressInfo;
  return new S3Client({
    client,
    endpoint: `127.0.0.1:${port}`,
    bucket: 'things',
    isPlain: true,
    region: undefined,
    keys: { accessKey: 'a', secretKey: 's' },
    now: () => 0,
    sleep: async () => undefined,
    ...options,
  });
}

async function allKeys(bucket: S3Client, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of bucket.list(prefix, signal)) keys.push(...page.map(({ key }) => key));
  return keys;
}

const contents = (key: string) =>
  `<Contents><Key>${key}</Key><ETag>&quot;e-${key}&quot;</ETag><Size>3</Size></Contents>`;

const page = (keys: readonly string[], next?: string) =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${keys
    .map(contents)
    .join('')}<EncodingType>url</EncodingType><IsTruncated>${next !== undefined}</IsTruncated>${
    next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
  }</ListBucketResult>`;

describe('a listing', () => {
  test('goes on from page to page, and reads keys as they were written', async () => {
    answer = (request, response) => {
      const token = new URL(request.url ?? '', 'http://x').searchParams.get('continuation-token');
      if (token === null) response.end(page(['a%2Fb+c', 'd'], 'two/+='));
      else if (token === 'two/+=') response.end(page(['e'], 'three'));
      else response.end(page(['%25']));
    };
    expect(await allKeys(bucketOf(), 'some/')).toEqual(['a/b c', 'd', 'e', '%']);
    expect(asked[0]).toBe('/things?encoding-type=url&list-type=2&prefix=some%2F');
    expect(asked).toHaveLength(3);
  });

  test('that leads back to where it was is not whole', async () => {
    answer = (_request, response) => void response.end(page(['a'], 'same'));
    await expect(allKeys(bucketOf())).rejects.toThrow('its pages have no end');
  });

  test('is asked for again when the server has too much to do', async () => {
    answer = (_request, response) => {
      if (asked.length < 3) response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      else response.end(page(['a']));
    };
    expect(await allKeys(bucketOf())).toEqual(['a']);
  });

  test('is asked for where the bucket is', async () => {
    const regions: string[] = [];
    answer = ({ headers }, response) => {
      const region = String(headers.authorization).split('/')[2] ?? '';
      regions.push(region);
      if (region === 'eu-west-1') response.end(page(['a']));
      else {
        response.writeHead(400, { 'x-amz-bucket-region': 'eu-west-1' });
        response.end('<Error><Code>AuthorizationHeaderMalformed</Code></Error>');
      }
    };
    expect(await allKeys(bucketOf())).toEqual(['a']);
    expect(regions).toEqual(['us-east-1', 'eu-west-1']);
  });

  test('that is none is refused', async () => {
    answer = (_request, response) => void response.end('<html>login</html>');
    await expect(allKeys(bucketOf())).rejects.toThrow('cannot be read');
  });

  test('names nobody without keys', async () => {
    let header: string | undefined = 'none yet';
    answer = ({ headers }, response) => {
      header = headers.authorization;
      response.end(page([]));
    };
    await allKeys(bucketOf({ keys: undefined }));
    expect(header).toBeUndefined();
  });

  test('is not followed elsewhere', async () => {
    answer = (_request, response) =>
      void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    await expect(allKeys(bucketOf())).rejects.toMatchObject({ status: 307 });
    expect(asked).toHaveLength(1);
  });
});

describe('an object', () => {
  test('comes with its ETag', async () => {
    answer = (_request, response) => void response.setHeader('etag', '"e1"').end('abc');
    const found = await bucketOf().get("a b/c+'(.txt", 100, signal);
    expect(found?.content.toString()).toBe('abc');
    expect(found?.etag).toBe('e1');
    expect(asked).toEqual(['/things/a%20b/c%2B%27%28.txt']);
  });

  test('that is gone is undefined; one that may not be read is an error', async () => {
    answer = (_request, response) =>
      void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    expect(await bucketOf().get('a', 100, signal)).toBeUndefined();
    answer = (_request, response) =>
      void response
        .writeHead(403)
        .end('<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>');
    await expect(bucketOf().get('a', 100, signal)).rejects.toThrow(/^Access Denied\.$/);
  });

  test('that is larger than it may be is not read to the end', async () => {
    answer = (_request, response) => {
      const more = () => {
        // Not in the same turn: whether the other side has left is only seen between turns.
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    };
    await expect(bucketOf().get('a', 1_000_000, signal)).rejects.toThrow('larger than 1000000');
  });

  test('that never comes is given up', async () => {
    answer = () => undefined;
    const short = AbortSignal.timeout(50);
    await expect(bucketOf().get('a', 100, short)).rejects.toThrow('context deadline exceeded');
  });
});

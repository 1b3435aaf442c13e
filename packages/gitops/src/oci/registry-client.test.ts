import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OutgoingClient } from '../http/outgoing-client.ts';
import type { RegistryCredentials } from './docker-config.ts';
import { parseOciUrl } from './oci-reference.ts';
import { RegistryClient } from './registry-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface TestServer {
  readonly host: string;
  /** `METHOD path authorization`. */
  readonly asked: string[];
  answer: Answer;
  close(): Promise<void>;
}

let registry: TestServer;
let other: TestServer;
let nowMs = 0;
const clients: OutgoingClient[] = [];
const signal = new AbortController().signal;
const password: RegistryCredentials = { kind: 'password', username: 'me', password: 'secret' };
const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;

async function startServer(): Promise<TestServer> {
  const started: { server?: Server } = {};
  const asked: string[] = [];
  const test: TestServer = {
    host: '',
    asked,
    answer: (_request, response) => void response.end(),
    async close() {
      started.server?.closeAllConnections();
      await new Promise((resolve) => started.server?.close(resolve));
    },
  };
  started.server = createServer((request, response) => {
    const { authorization } = request.headers;
    asked.push([request.method, request.url, authorization].filter(Boolean).join(' '));
    test.answer(request, response);
  });
  await new Promise<void>((resolve) => started.server?.listen(0, '127.0.0.1', resolve));
  const { port } = started.server.address() as AddressInfo;
  return Object.assign(test, { host: `127.0.0.1:${port}` });
}

beforeEach(async () => {
  nowMs = 0;
  registry = await startServer();
  other = await startServer();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await registry.close();
  await other.close();
});

function clientOf(credentials?: RegistryCredentials, isInsecure = true): RegistryClient {
  const client = new OutgoingClient();
  clients.push(client);
  return new RegistryClient({
    client,
    name: parseOciUrl(`oci://${registry.host}/app`),
    credentials,
    isInsecure,
    now: () => nowMs,
    sleep: async () => undefined,
  });
}

const content = Buffer.from('{"schemaVersion":2,"layers":[]}');
const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** A registry that wants a token of the other server. */
function withTokens(expiresIn: number): void {
  let count = 0;
  other.answer = (_request, response) =>
    void response.end(JSON.stringify({ token: `token-${++count}`, expires_in: expiresIn }));
  registry.answer = ({ headers, url, method }, response) => {
    if (headers.authorization !== `Bearer token-${count}` || count === 0) {
      const realm = `http://${other.host}/token`;
      const challenge = `Bearer realm="${realm}",service="reg",scope="repository:app:pull"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    } else if (url === '/v2/') response.end();
    else {
      response.setHeader('docker-content-digest', digest);
      response.end(method === 'HEAD' ? undefined : content);
    }
  };
}

describe('a revision that did not change', () => {
  test('costs one HEAD, once the registry is known', async () => {
    withTokens(300);
    const client = clientOf(password);
    expect(await client.digestOf('latest', signal)).toBe(digest);
    registry.asked.length = 0;
    other.asked.length = 0;
    expect(await client.digestOf('latest', signal)).toBe(digest);
    expect(registry.asked).toEqual(['HEAD /v2/app/manifests/latest Bearer token-1']);
    expect(other.asked).toEqual([]);
    nowMs += 400_000;
    expect(await client.digestOf('latest', signal)).toBe(digest);
    expect(other.asked).toHaveLength(1);
  });

  test('costs a GET where HEAD is not known', async () => {
    registry.answer = ({ method }, response) => {
      if (method === 'HEAD') response.writeHead(405).end();
      else response.end(content);
    };
    expect(await clientOf().digestOf('latest', signal)).toBe(digest);
  });
});

describe('who asks', () => {
  test('is told to the one who gives tokens, and the token to the registry alone', async () => {
    withTokens(300);
    await clientOf(password).digestOf('latest', signal);
    expect(other.asked).toEqual([`GET /token?service=reg&scope=repository%3Aapp%3Apull ${basic}`]);
    expect(registry.asked.join(' ')).not.toContain(basic);
  });

  test('is a new token when the old one is no longer taken', async () => {
    withTokens(3600);
    const client = clientOf();
    await client.digestOf('latest', signal);
    const { answer } = registry;
    registry.answer = (request, response) => {
      // The registry has forgotten what it gave out.
      registry.answer = answer;
      request.headers.authorization = 'Bearer forgotten';
      answer(request, response);
    };
    expect(await client.digestOf('latest', signal)).toBe(digest);
    expect(other.asked).toHaveLength(2);
  });

  test('goes nowhere with a redirect', async () => {
    registry.answer = ({ url, headers }, response) => {
      if (headers.authorization !== basic) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      } else if (url?.includes('/blobs/')) {
        response.writeHead(307, { location: `http://${other.host}/store/blob` }).end();
      } else response.end();
    };
    other.answer = (_request, response) => void response.end(content);
    const blob = await clientOf(password).blob({ digest, size: content.length }, 1000, signal);
    expect(blob).toEqual(content);
    expect(other.asked).toEqual(['GET /store/blob']);
  });

  test('is not told to a server without TLS, unless the user wants it', async () => {
    other.answer = (_request, response) => void response.end('{"token":"t"}');
    registry.answer = (_request, response) =>
      void response
        .writeHead(401, { 'www-authenticate': `Bearer realm="http://${other.host}/token"` })
        .end();
    // Here the registry is on this machine, where that is no danger; elsewhere it would be refused.
    const client = clientOf(password, false);
    await expect(client.digestOf('latest', signal)).rejects.toThrow();
    expect(other.asked.length).toBeGreaterThan(0);
  });

  test.each(['ftp://x/', 'no url', 'file:///etc/passwd'])('is not told to %s', async (realm) => {
    registry.answer = (_request, response) =>
      void response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}"` }).end();
    await expect(clientOf(password).digestOf('latest', signal)).rejects.toThrow(
      /^the registry sends for a token to/,
    );
  });
});

describe('an answer', () => {
  test('that comes late is waited for, and one that fails is asked for again', async () => {
    let count = 0;
    registry.answer = ({ url }, response) => {
      if (url === '/v2/') response.end();
      else if (++count < 3) response.writeHead(503).end();
      else response.setHeader('docker-content-digest', digest).end();
    };
    expect(await clientOf().digestOf('latest', signal)).toBe(digest);
  });

  test('that redirects for ever, or to where it may not, is refused', async () => {
    registry.answer = ({ url }, response) => {
      if (url === '/v2/') response.end();
      else response.writeHead(302, { location: url ?? '' }).end();
    };
    await expect(clientOf().manifest('latest', signal)).rejects.toThrow('redirects too often');
    registry.answer = ({ url }, response) => {
      if (url === '/v2/') response.end();
      else response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    };
    await expect(clientOf().manifest('latest', signal)).rejects.toThrow("redirects to 'file:'");
  });

  test('that is not what its digest says is refused', async () => {
    registry.answer = (_request, response) => void response.end('something else');
    const client = clientOf();
    await expect(client.manifest(digest, signal)).rejects.toThrow(
      'does not match requested digest',
    );
    await expect(client.blob({ digest }, 1000, signal)).rejects.toThrow(
      'error verifying sha256 checksum',
    );
    await expect(client.blob({ digest: 'md5:x' }, 1000, signal)).rejects.toThrow('not supported');
  });

  test('that is larger than it said, or than it may be, is refused', async () => {
    registry.answer = (_request, response) => void response.end(Buffer.alloc(5000));
    await expect(clientOf().blob({ digest, size: 10 }, 1000, signal)).rejects.toThrow(
      'larger than',
    );
    await expect(clientOf().blob({ digest }, 1000, signal)).rejects.toThrow('larger than');
  });

  test('with tags goes on from page to page of the same registry', async () => {
    let link: string | undefined;
    registry.answer = ({ url }, response) => {
      if (url?.includes('last=b')) {
        if (link !== undefined) response.setHeader('link', link);
        response.end('{"tags":["c"]}');
      } else if (url?.startsWith('/v2/app/tags')) {
        response.setHeader('link', '</v2/app/tags/list?last=b&n=2>; rel="next"');
        response.end('{"tags":["a","b"]}');
      } else response.end();
    };
    expect(await clientOf().tags(signal)).toEqual(['a', 'b', 'c']);
    // A list that goes on where it cannot be followed is not whole.
    link = `<http://${other.host}/v2/app/tags/list?last=c>; rel="next"`;
    await expect(clientOf().tags(signal)).rejects.toThrow('goes on at another server');
    expect(other.asked).toEqual([]);
    link = '/v2/app/tags/list?last=c; rel="next"';
    await expect(clientOf().tags(signal)).rejects.toThrow('does not say how it goes on');
  });
});

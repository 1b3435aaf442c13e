import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectionFacts } from '../exchange/client-facts.ts';
import type { Reply } from '../exchange/reply.ts';
import type { ServerRequest } from '../exchange/server-request.ts';
import { ServerConnection } from './server-connection.ts';

// What the gateway and what Node's parser, llhttp, understand of the same bytes, over sockets. A proxy
// that reads a message otherwise than who stands behind it can be made to smuggle one.

/** A request as it was understood, all of it. */
interface Understood {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  body?: string;
}

/** What came of a connection: the requests that were whole, and whether something was refused. */
interface Verdict {
  readonly requests: readonly Understood[];
  readonly isRefused: boolean;
}

/** Of the connection that is open; there is one at a time. */
let requests: Understood[] = [];

/** Takes a request; false if its body does not come to its end. */
async function take(
  request: Omit<Understood, 'body'>,
  body: AsyncIterable<Buffer> | undefined,
): Promise<boolean> {
  const understood: Understood = request;
  const chunks: Buffer[] = [];
  requests.push(understood);
  try {
    for await (const chunk of body ?? []) chunks.push(chunk);
  } catch {
    return false;
  }
  understood.body = Buffer.concat(chunks).toString('latin1');
  return true;
}

const ours = createServer({ allowHalfOpen: true }, (socket) => {
  const handle = async (request: ServerRequest, reply: Reply): Promise<void> => {
    const { method, target, rawHeaders: headers } = request;
    if (await take({ method, target, headers }, request.body)) reply.sendWhole(200, [], '');
  };
  const handler = {
    handle: (request: ServerRequest, reply: Reply) => void handle(request, reply),
  };
  new ServerConnection(socket, handler, () => ({}) as ConnectionFacts);
});

const settings = { requireHostHeader: false, maxHeaderSize: 64 * 1_024 };
const node = createHttpServer(settings, async (request: IncomingMessage, response) => {
  const { method = '', url: target = '', rawHeaders: headers } = request;
  if (await take({ method, target, headers }, request)) response.end();
});

/** A client that leaves in the middle, or says more than it announced, is not told. */
const quiet = new Set(['HPE_INVALID_EOF_STATE', 'HPE_CLOSED_CONNECTION', 'ECONNRESET']);

node.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
  socket.end(quiet.has(code) ? '' : 'HTTP/1.1 400 Bad Request\r\n\r\n');
});

beforeAll(async () => {
  for (const server of [ours, node]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
});

afterAll(() => {
  ours.close();
  node.close();
});

async function verdictOf(server: Server, pieces: readonly string[]): Promise<Verdict> {
  requests = [];
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answered = '';
  client.setNoDelay(true).setEncoding('latin1');
  client.on('data', (text) => (answered += text)).on('error', () => {});
  const closed = once(client, 'close');
  for (const piece of pieces)
    await new Promise((resolve) => client.write(piece, 'latin1', resolve));
  client.end();
  await closed;
  const whole = requests.filter(({ body }) => body !== undefined);
  return { requests: whole, isRefused: /^HTTP\/1\.1 4\d\d/m.test(answered) };
}

/** Part of a message, and where the gateway is known to judge it otherwise. */
interface Part {
  readonly text: string;
  readonly known?: 'stricter' | 'laxer';
}

const same = (...texts: string[]) => texts.map((text): Part => ({ text }));
/** What could be read in two ways, or what no client of a gateway sends: refused by rule. */
const stricter = (...texts: string[]) => texts.map((text): Part => ({ text, known: 'stricter' }));
/** What nginx takes, and what does not go on to the upstream or goes on as it is. */
const laxer = (...texts: string[]) => texts.map((text): Part => ({ text, known: 'laxer' }));

const lines = fc.constantFrom(
  ...same('GET /a HTTP/1.1', 'POST /b?c=d HTTP/1.1', 'HEAD / HTTP/1.1', 'PUT /%00 HTTP/1.1'),
  ...same('GET / HTTP/1.1 ', 'GET / HTTP/1.2', 'GET / HTTP/11', 'GET a HTTP/1.1'),
  ...same('get / HTTP/1.1', ' GET / HTTP/1.1', 'GET\t/ HTTP/1.1', 'GET / http/1.1'),
  ...same('G\0T / HTTP/1.1', 'GET /\x01 HTTP/1.1', 'GET /a b HTTP/1.1', 'GET /\x7f HTTP/1.1'),
  // Chunks in HTTP/1.0 are refused.
  ...stricter('GET /a HTTP/1.0', 'GET * HTTP/1.1', 'GET /', 'GET / HTTP/2.0', 'GET  / HTTP/1.1'),
  ...laxer('GET /\xe4 HTTP/1.1', 'OWN /a HTTP/1.1'),
);

const headers = fc.constantFrom(
  ...same(
    'Host: a',
    'X-A: b',
    'x-a:b',
    'X-A:',
    'X-A: \t b \t',
    'X-\xe4: 1',
    'X-A: \xe4',
    'X(A): 1',
  ),
  ...same('X A: 1', 'X-A : 1', ' X-A: 1', '\tX-A: 1', ': 1', 'no colon', 'X-A: a\0b', 'X-A: \x01'),
  ...same('X-A: a\rb', 'X-A: a\nX-B: b', 'X-A: \x7f', 'Cookie: a; b', 'Content_Length: 5'),
  ...same('Content-Length: 0', 'Content-Length: 5', 'content-length:5', 'Content-Length: +5'),
  ...same(
    'Content-Length: -5',
    'Content-Length: 0x5',
    'Content-Length: 5, 5',
    'Content-Length: 5 5',
  ),
  ...same('Content-Length: ', 'Content-Length: 005', 'Content-Length: 99999999999999999999'),
  ...same('Content-Length: 5\x0b', 'Content-Length: 5.0', 'Content-Length : 5'),
  ...same('Transfer-Encoding: chunked', 'transfer-encoding:Chunked', 'Transfer-Encoding: chunked '),
  ...same(
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunkedx',
    'Transfer-Encoding : chunked',
  ),
  ...same('Transfer-Encoding: chunked, gzip', 'Transfer-Encoding:\x0bchunked'),
  ...same('Connection: keep-alive', 'Connection: close', 'Connection: x, close'),
  ...stricter('Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: identity', 'Host: b'),
  ...stricter('Transfer-Encoding: '),
);

const ends = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r');

const chunked = (sizeLine: string) => `${sizeLine}\r\nhello\r\n0\r\n\r\n`;

const bodies = fc.constantFrom(
  ...same('', 'hello', 'h', '0\r\n\r\n', '5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n'),
  ...same(...['5', '005', '5;a', '5;a=b', '5;a=', '5;a="b"'].map(chunked)),
  ...same(...['+5', '-5', '0x5', '6', '4', '', '5 ', 'g', 'fffffffffffffffff'].map(chunked)),
  ...same('5\nhello\r\n0\r\n\r\n', '5\r\nhello\n0\r\n\r\n', '5\r\nhello0\r\n\r\n'),
  ...same(
    '5\r\nhello\r\n0\r\nX A: 1\r\n\r\n',
    '5\r\nhello\r\n0\r\n X: 1\r\n\r\n',
    chunked('5;a\x01'),
  ),
  ...laxer(...['5 ;a', '5; a=b', '5;', '5;;', '5;=b', '5;a b', '5;a="b'].map(chunked)),
);

const message = fc
  .record({
    line: lines,
    headers: fc.array(headers, { maxLength: 4 }),
    ends: fc.array(ends, { minLength: 6, maxLength: 6 }),
    body: bodies,
  })
  .map(({ line, headers: fields, ends: breaks, body }) => {
    const head = [line, ...fields, { text: '' }].map(
      ({ text }, place) => `${text}${breaks[place]}`,
    );
    const known = [line, ...fields, body].map((part: Part) => part.known);
    return { text: `${head.join('')}${body.text}`, known };
  });

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((one) => one % text.length))].sort((a, b) => a - b);
  return [...places, text.length].map((end, place) => text.slice(places[place - 1] ?? 0, end));
}

describe('the gateway and llhttp', () => {
  test('understand the same of the same bytes, but for what is known', {
    timeout: 60_000,
  }, async () => {
    const messages = fc.array(message, { minLength: 1, maxLength: 2 });
    const cuts = fc.array(fc.nat(), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(messages, cuts, async (sent, places) => {
        // What follows must be found where it is, or not at all.
        const text = `${sent.map((one) => one.text).join('')}GET /next HTTP/1.1\r\n\r\n`;
        const pieces = cut(text, places);
        const mine = await verdictOf(ours, pieces);
        const theirs = await verdictOf(node, pieces);
        const shared = Math.min(mine.requests.length, theirs.requests.length);
        expect(mine.requests.slice(0, shared)).toEqual(theirs.requests.slice(0, shared));
        const known = sent.flatMap((one) => one.known);
        if (!known.includes('laxer')) expect(mine.requests.length).toBe(shared);
        if (!known.includes('stricter')) expect(theirs.requests.length).toBe(shared);
        if (known.every((one) => one === undefined)) expect(mine.isRefused).toBe(theirs.isRefused);
      }),
      { numRuns: 600, seed: 2026 },
    );
  });
});

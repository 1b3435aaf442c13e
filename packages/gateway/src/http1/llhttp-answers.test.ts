import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UpstreamConnection } from './upstream-connection.ts';

// What the gateway and what Node's client, on llhttp, understand of the same bytes of an upstream.

/** Undefined when the answer is refused, or does not come to its end. */
type Verdict = { readonly status: number; readonly body: string } | undefined;

let answer = '';
let port = 0;
const upstream = createServer((socket) => {
  socket.on('error', () => {}).once('data', () => socket.end(answer, 'latin1'));
});

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  ({ port } = upstream.address() as AddressInfo);
});

afterAll(() => upstream.close());

function ours(method: string): Promise<Verdict> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  let status = 0;
  return new Promise((resolve) => {
    const done = (verdict: Verdict) => {
      socket.destroy();
      resolve(verdict);
    };
    const connection = new UpstreamConnection(socket, { onIdle: () => {}, onGone: () => {} });
    connection.listen(connection.take);
    let failure: Error | undefined;
    socket.on('error', (error) => (failure = error));
    socket.on('end', () => connection.onEnd()).on('close', () => connection.onClose(failure));
    connection.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`, method, true, 0, {
      onHead: (head) => {
        status = head.status;
      },
      onData: (chunk) => chunks.push(Buffer.from(chunk)) > 0,
      onEnd: () => done({ status, body: Buffer.concat(chunks).toString('latin1') }),
      onUpgrade: () => done(undefined),
      onError: () => done(undefined),
    });
  });
}

async function theirs(method: string): Promise<Verdict> {
  const outgoing = openRequest({ host: '127.0.0.1', port, method, agent: false });
  // What goes wrong behind an answer that is whole is not part of it.
  outgoing.on('error', () => {});
  try {
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    outgoing.end();
    const [message] = await answered;
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return { status: message.statusCode ?? 0, body: Buffer.concat(chunks).toString('latin1') };
  } catch {
    return undefined;
  } finally {
    outgoing.destroy();
  }
}

/** Part of an answer, and where the gateway is known to judge it otherwise. */
interface Part {
  readonly text: string;
  readonly known?: 'stricter' | 'laxer';
}

const same = (...texts: string[]) => texts.map((text): Part => ({ text }));
const stricter = (...texts: string[]) => texts.map((text): Part => ({ text, known: 'stricter' }));
const laxer = (...texts: string[]) => texts.map((text): Part => ({ text, known: 'laxer' }));

const lines = fc.constantFrom(
  ...same(
    'HTTP/1.1 200 OK',
    'HTTP/1.1 404 ',
    'HTTP/1.1 204 No',
    'HTTP/1.1 304 Not',
    'HTTP/1.0 200 OK',
  ),
  ...same('HTTP/1.1 200', 'HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK', 'HTTP/1.1 abc', 'http/1.1 200 OK'),
  ...same(' HTTP/1.1 200 OK', 'ICY 200 OK', 'HTTP/1.1\t200 OK', 'hello'),
  ...stricter('HTTP/1.1 200 O\0K'),
);

const headers = fc.constantFrom(
  ...same(
    'X-A: b',
    'x-a:b',
    'X-A:',
    'X A: 1',
    'X-A : 1',
    ': 1',
    'no colon',
    'X-A: a\0b',
    'X-A: \xe4',
  ),
  ...same('Content-Length: 0', 'Content-Length: 5', 'Content-Length: +5', 'Content-Length: -5'),
  ...same('Content-Length: 5, 5', 'Content-Length: 0x5', 'Content-Length: ', 'Content-Length: 5 5'),
  ...same('Content-Length: 99999999999999999999', 'Content-Length : 5', 'Content_Length: 5'),
  ...same('Transfer-Encoding: chunked', 'transfer-encoding:Chunked', 'Transfer-Encoding: chunked '),
  ...same('Connection: close', 'Connection: keep-alive'),
  ...stricter('Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: xchunked'),
);

const ends = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r');

const chunked = (sizeLine: string) => `${sizeLine}\r\nhello\r\n0\r\n\r\n`;

const bodies = fc.constantFrom(
  ...same('', 'hello', 'h', 'hello, and more', '0\r\n\r\n', '5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n'),
  ...same(...['5', '005', '5;a', '5;a=b', '+5', '-5', '0x5', '6', '4', '', '5 '].map(chunked)),
  ...same(
    '5\nhello\r\n0\r\n\r\n',
    '5\r\nhello\n0\r\n\r\n',
    '5\r\nhello0\r\n\r\n',
    '5\r\nhello\r\n',
  ),
  ...laxer(...['5 ;a', '5; a=b', '5;'].map(chunked)),
);

const message = fc
  .record({
    line: lines,
    headers: fc.array(headers, { maxLength: 3 }),
    ends: fc.array(ends, { minLength: 5, maxLength: 5 }),
    body: bodies,
  })
  .map(({ line, headers: fields, ends: breaks, body }) => {
    const head = [line, ...fields, { text: '' }].map(
      ({ text }, place) => `${text}${breaks[place]}`,
    );
    const known = [line, ...fields, body].map((part: Part) => part.known);
    // Chunks in chunks are what two such lines say.
    const encodings = fields.filter(({ text }) => /^transfer-encoding:/i.test(text));
    if (encodings.length > 1) known.push('stricter');
    // Two lengths that are equal are one (RFC 9110, 8.6), and one goes on to the client.
    const lengths = fields.filter(({ text }) => /^content-length:/i.test(text));
    if (lengths.length > 1) known.push('laxer');
    return { text: `${head.join('')}${body.text}`, known };
  });

describe('the gateway and llhttp', () => {
  test('understand the same of the same answer, but for what is known', {
    timeout: 60_000,
  }, async () => {
    const methods = fc.constantFrom('GET', 'HEAD');
    await fc.assert(
      fc.asyncProperty(methods, message, async (method, { text, known }) => {
        answer = text;
        const mine = await ours(method);
        const other = await theirs(method);
        if (mine !== undefined && other !== undefined) expect(mine).toEqual(other);
        if (!known.includes('laxer') && other === undefined) expect(mine).toBeUndefined();
        if (!known.includes('stricter') && mine === undefined) expect(other).toBeUndefined();
      }),
      { numRuns: 400, seed: 2026 },
    );
  });
});

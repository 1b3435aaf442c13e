import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exchangeBytes, ProxyStage } from '../testing/proxy-stage.ts';

let stage: ProxyStage;

beforeEach(async () => {
  stage = await ProxyStage.open();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('what could be read in two ways is refused', () => {
  const head = 'Host: a.test\r\n';
  test.each([
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `POST / HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length with a sign', `POST / HTTP/1.1\r\n${head}Content-Length: +1\r\n\r\na`],
    [
      'chunked, but not last',
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    [
      'an unknown encoding',
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a folded header', `GET / HTTP/1.1\r\n${head}X-A: 1\r\n 2\r\n\r\n`],
    ['a space before the colon', `GET / HTTP/1.1\r\n${head}Content-Length : 3\r\n\r\nabc`],
    ['a bare carriage return', `GET / HTTP/1.1\r\n${head}X-A: 1\rX-B: 2\r\n\r\n`],
    [
      'a broken chunk size',
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    ],
    ['a NUL in a header', `GET / HTTP/1.1\r\n${head}X-A: a\0b\r\n\r\n`],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a host with a slash', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a path above the root', `GET /../x HTTP/1.1\r\n${head}\r\n`],
    ['a lower-case method', `get / HTTP/1.1\r\n${head}\r\n`],
  ])('%s', async (_name, bytes) => {
    const port = await stage.start();
    const text = await exchangeBytes(port, bytes.replace('\r\n', '\r\nConnection: close\r\n'));
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('headers that are too long', async () => {
    const port = await stage.start();
    const text = await exchangeBytes(
      port,
      `GET / HTTP/1.1\r\n${head}X-A: ${'a'.repeat(40_000)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 494 /);
    expect(stage.served).toBe(0);
  });
});

describe('a connection', () => {
  test('carries requests that are sent ahead, one after the other', async () => {
    stage.answer = (request, reply) => {
      setTimeout(() => reply.end(`for ${request.url}`), request.url === '/1' ? 50 : 0);
    };
    const port = await stage.start();
    const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const text = await exchangeBytes(
      port,
      one('/1') + one('/2') + one('/3', 'Connection: close\r\n'),
    );
    expect(text.match(/for \/\d/g)).toEqual(['for /1', 'for /2', 'for /3']);
  });

  test('carries very many refused requests without running out of stack', async () => {
    const port = await stage.start({ config: { _format_version: '3.0' } });
    const many = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3_000);
    const last = 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const text = await exchangeBytes(port, many + last);
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(3_001);
  });

  test('skips a body that nobody read, and goes on', async () => {
    const port = await stage.start({ config: { _format_version: '3.0' } });
    const body = 'x'.repeat(200_000);
    const text = await exchangeBytes(
      port,
      `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        'GET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(2);
  });

  test('ends when a body was announced that nobody asked for', async () => {
    const port = await stage.start({ config: { _format_version: '3.0' } });
    const text = await exchangeBytes(
      port,
      'POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n' +
        'GET /y HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    expect(text).toMatch(/Connection: close/);
    expect(text.match(/HTTP\/1\.1 404/g)).toHaveLength(1);
  });

  test('of HTTP/1.0 gets no chunks, and ends with its answer', async () => {
    stage.answer = (_request, reply) => {
      reply.write('a');
      reply.end('b');
    };
    const port = await stage.start();
    const text = await exchangeBytes(port, 'GET / HTTP/1.0\r\n\r\n');
    expect(text).toMatch(/Connection: close\r\n/);
    expect(text).not.toMatch(/chunked/i);
    expect(text).toMatch(/\r\n\r\nab$/);
  });

  test('that says no more still gets its answer', async () => {
    stage.answer = (_request, reply) => {
      setTimeout(() => reply.end('late'), 50);
    };
    const port = await stage.start();
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
        socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      );
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
      });
      socket.on('end', () => resolve(received));
    });
    expect(text).toMatch(/late$/);
  });
});

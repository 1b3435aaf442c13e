import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBodyDecoder } from './body-decoder.ts';
import { chunkedBody } from './content-length.ts';
import { parseRequestHead } from './request-head.ts';
import { parseResponseHead } from './response-head.ts';

/** Feeds bytes in pieces, as a network would cut them. */
function decode(bytes: Buffer, cuts: readonly number[]) {
  const decoder = createBodyDecoder(chunkedBody);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let body = '';
  let used = 0;
  let from = 0;
  for (const to of [...places, bytes.length]) {
    used += decoder.feed(bytes.subarray(from, to), (data) => {
      body += data.toString('latin1');
    });
    from = to;
    if (decoder.isDone) break;
  }
  return { body, used, isDone: decoder.isDone, trailers: decoder.trailers };
}

describe('chunks', () => {
  test('come out whole, however the network cuts them', () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' }));
    fc.assert(
      fc.property(pieces, fc.array(fc.nat()), fc.string(), (parts, cuts, next) => {
        const chunks = parts.map((part) => `${part.length.toString(16)};x=y\r\n${part}\r\n`);
        const message = `${chunks.join('')}0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n`;
        const result = decode(Buffer.from(message + next, 'latin1'), cuts);
        expect(result.isDone).toBe(true);
        expect(result.body).toBe(parts.join(''));
        expect(result.trailers).toEqual(['X-Sum', '1']);
        expect(result.used).toBeLessThanOrEqual(message.length);
      }),
    );
  });

  test.each([
    ['a sign', '+5\r\nhello\r\n0\r\n\r\n'],
    ['a prefix', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a blank behind the size', '5 \r\nhello\r\n0\r\n\r\n'],
    ['no size', '\r\nhello\r\n0\r\n\r\n'],
    ['a bare line feed', '5\nhello\r\n0\r\n\r\n'],
    ['more than it says', '5\r\nhello!\r\n0\r\n\r\n'],
    ['less than it says', '6\r\nhello\r\n0\r\n\r\n'],
    ['a size beyond all numbers', 'fffffffffffff\r\nhello\r\n0\r\n\r\n'],
    ['an extension without end', `5;${'a'.repeat(2_000)}`],
    ['a folded trailer', '0\r\nX-A: 1\r\n 2\r\n\r\n'],
    ['trailers without end', `0\r\n${'X-A: 1\r\n'.repeat(5_000)}`],
  ])('with %s are refused', (_name, text) => {
    expect(() => decode(Buffer.from(text, 'latin1'), [])).toThrow();
    expect(() => decode(Buffer.from(text, 'latin1'), [1, 3, 5, 7])).toThrow();
  });

  test('anything at all is either decoded or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat()), (bytes, cuts) => {
        try {
          const result = decode(Buffer.from(bytes), cuts);
          expect(result.used).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toHaveProperty('code', 'WG_GATEWAY_HEADER');
        }
      }),
    );
  });
});

describe('request heads', () => {
  const head = (...lines: string[]) => parseRequestHead(['GET / HTTP/1.1', ...lines].join('\r\n'));

  test('are taken apart as they came', () => {
    expect(head('Host: a', 'X-B:  c \t', 'x-b: d', 'Empty:')).toMatchObject({
      method: 'GET',
      target: '/',
      version: '1.1',
      rawHeaders: ['Host', 'a', 'X-B', 'c', 'x-b', 'd', 'Empty', ''],
      framing: { kind: 'none' },
      isKeepAlive: true,
    });
  });

  test.each([
    [['Content-Length: 3'], { framing: { kind: 'length', length: 3 } }],
    [['Transfer-Encoding: Chunked'], { framing: { kind: 'chunked' } }],
    [['Connection: close'], { isKeepAlive: false }],
    [['Connection: x, Close'], { isKeepAlive: false }],
    [['Connection: closed'], { isKeepAlive: true }],
    [['Connection: Upgrade', 'Upgrade: websocket'], { upgrade: 'websocket' }],
    [['Upgrade: websocket'], { upgrade: undefined }],
    [['Connection: Upgrade', 'Upgrade: h2c'], { upgrade: undefined }],
    [['Expect: 100-Continue'], { expectsContinue: true }],
  ])('%j', (lines, expected) => {
    expect(head(...lines)).toMatchObject(expected);
  });

  test.each([
    [['Content-Length: 1', 'Content-Length: 1'], 400],
    [['Content-Length: 1, 1'], 400],
    [['Content-Length: 0x1'], 400],
    [['Content-Length: '], 400],
    [['Content-Length: 99999999999999999999'], 400],
    [['Content-Length: 1', 'Transfer-Encoding: chunked'], 400],
    [['Transfer-Encoding: gzip, chunked'], 400],
    [['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], 400],
    [['Transfer-Encoding: identity'], 400],
    [['Host: a', 'Host: b'], 400],
    [['X A: 1'], 400],
    [[': 1'], 400],
    [['no colon'], 400],
    [['X-A: a\u0001b'], 400],
    [['X-A: a\nX-B: b'], 400],
    [[`X-A: ${'a'.repeat(9_000)}`], 494],
  ])('%j is refused', (lines, status) => {
    expect(head(...lines)).toEqual({ status });
  });

  test.each([
    ['GET  / HTTP/1.1', 400],
    ['GET / HTTP/1.1 ', 400],
    ['GET / HTTP/1.2', 400],
    ['GET / HTTP/2.0', 400],
    ['GET /', 400],
    ['GET * HTTP/1.1', 400],
    ['G\u0000T / HTTP/1.1', 400],
    ['POST / HTTP/1.0\r\nTransfer-Encoding: chunked', 400],
    [`GET /${'a'.repeat(9_000)} HTTP/1.1`, 414],
  ])('%j is refused', (text, status) => {
    expect(parseRequestHead(text)).toEqual({ status });
  });

  test('in absolute form name a path', () => {
    const target = (text: string) => parseRequestHead(`GET ${text} HTTP/1.1`);
    expect(target('http://a.test/b?c')).toMatchObject({ target: '/b?c', authority: 'a.test' });
    expect(target('/b?c')).toMatchObject({ target: '/b?c', authority: undefined });
    expect(target('http://a.test')).toMatchObject({ target: '/' });
    expect(target('http://a.test?c')).toMatchObject({ target: '/?c' });
  });

  test('of any shape are read or refused, never in two ways', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (text) => {
        const result = parseRequestHead(text);
        if ('method' in result) {
          expect(result.rawHeaders.length % 2).toBe(0);
          expect(result.rawHeaders.join('')).not.toMatch(/[\r\n\0]/);
        }
      }),
    );
  });
});

describe('answers of upstreams', () => {
  test('lose what speaks of their connection, and say where they end', () => {
    const text =
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\nKeep-Alive: x\r\nX-A: b';
    expect(parseResponseHead(text, 'GET')).toMatchObject({
      status: 200,
      rawHeaders: ['Content-Length', '5', 'X-A', 'b'],
      framing: { kind: 'length', length: 5 },
      isKeepAlive: false,
    });
    expect(parseResponseHead(text, 'HEAD').framing).toEqual({ kind: 'none' });
    expect(parseResponseHead('HTTP/1.0 200', 'GET').framing).toEqual({ kind: 'close' });
    expect(parseResponseHead('HTTP/1.1 200\r\nX-A: b', 'GET').status).toBe(200);
    expect(parseResponseHead('HTTP/1.1 304 x\r\nContent-Length: 5', 'GET').framing).toEqual({
      kind: 'none',
    });
  });

  test.each([
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6',
    'HTTP/1.1 200 OK\r\nContent-Length: -5',
    'HTTP/1.1 204 No Content\r\nContent-Length: 5, 5',
    'HTTP/1.1 20 OK',
    'HTTP/2 200',
    'hello',
    'HTTP/1.1 200 OK\r\nX-A: 1\r\n 2',
  ])('%j is none', (text) => {
    expect(() => parseResponseHead(text, 'GET')).toThrow();
  });
});

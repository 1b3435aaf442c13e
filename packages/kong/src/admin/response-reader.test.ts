import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RawAnswer, ResponseReader } from './response-reader.ts';

function read(text: string, cuts: readonly number[] = [], largest = 1000): RawAnswer | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const reader = new ResponseReader(largest);
  const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index += 1) {
    // The memory of a piece is used again for the next one, as the connections do it.
    const piece = Buffer.from(bytes.subarray(places[index - 1], places[index]));
    const answer = reader.push(piece);
    piece.fill(0);
    if (answer !== undefined) return answer;
  }
  return reader.end();
}

const whole = [
  ['counted', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200, 'hello'],
  [
    'chunked',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nt: v\r\n\r\n',
    200,
    'hello',
  ],
  ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
  ['an empty one', 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n', 404, ''],
  [
    'after a 100',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201\r\ncontent-length: 2\r\n\r\n{}',
    201,
    '{}',
  ],
  ['until the end', 'HTTP/1.0 200 OK\r\n\r\nhello', 200, 'hello'],
] as const;

describe('ResponseReader', () => {
  it.each(whole)('reads an answer %s, however it is cut', (_name, text, status, body) => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        const answer = read(text, cuts);
        expect([answer?.status, answer?.body.toString()]).toEqual([status, body]);
      }),
    );
  });

  it.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 0\r\n\r\n', false],
    ['HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab', false],
    ['HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', false],
  ])('knows whether %j leaves the connection fit for another request', (text, keepsAlive) => {
    expect(read(text)?.keepsAlive).toBe(keepsAlive);
  });

  it.each([
    ['ICY 200 OK\r\n\r\n', 'it is not HTTP'],
    ['HTTP/1.1 200 OK\r\nnonsense\r\n\r\n', 'a header has no name'],
    ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'its length is no number'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n', 'a chunk has no length'],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n', 'longer than it says'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n', 'too large'],
    [`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1001)}`, 'too large'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`, 'too long'],
  ])('refuses %j', (text, reason) => {
    expect(() => read(text)).toThrow(reason);
  });

  it('reads one answer after another, and keeps no body that nobody reads but a refusal', () => {
    const reader = new ResponseReader(1000);
    const texts = [
      '200 OK\r\ncontent-length: 2\r\n\r\nab',
      '409 No\r\ncontent-length: 2\r\n\r\ncd',
    ];
    const bodies = texts.map((text) => {
      reader.begin(false, true);
      return reader.push(Buffer.from(`HTTP/1.1 ${text}`))?.body.toString();
    });
    expect(bodies).toEqual(['', 'cd']);
  });

  it('has no answer when the connection breaks in the middle', () => {
    expect(read('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel')).toBeUndefined();
    expect(read('HTTP/1.1 200 OK\r\ncontent-le')).toBeUndefined();
  });
});

/** As nginx's four buffers of 8 kB for request headers. */
export const maximumHeadBytes = 32 * 1_024;
/** As one of them: no line is longer. */
export const maximumLineBytes = 8 * 1_024;
/** What ends the head of a request. */
export const headEnd = Buffer.from('\r\n\r\n');
/** What every HTTP/2 connection starts with (RFC 9113, 3.4); no request of HTTP/1 does. */
export const http2Preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Clients may put empty lines before a request. */
export function skipEmptyLines(bytes: Buffer): number {
  let start = 0;
  while (start < 16 && bytes[start] === 0x0d && bytes[start + 1] === 0x0a) start += 2;
  return start;
}

/** What is wrong already with a head that has not come to its end. */
export function incompleteProblem(bytes: Buffer, start: number): number | undefined {
  const firstEnd = bytes.indexOf(0x0a, start);
  if (bytes.length - start > maximumHeadBytes) {
    // However much came at once, the first line is read first.
    return firstEnd === -1 || firstEnd - start > maximumLineBytes ? 414 : 494;
  }
  if (firstEnd !== -1 && bytes[firstEnd - 1] !== 0x0d) return 400;
  // A first line that is no request will not become one.
  const first = bytes[start];
  return first !== undefined && !(first >= 0x41 && first <= 0x5a) && first !== 0x0d
    ? 400
    : undefined;
}

/** Whether these are the first bytes of the preface, as far as they go, and at least its first word. */
export function startsAsHttp2(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, http2Preface.length);
  return length > 3 && bytes.compare(http2Preface, 0, length, 0, length) === 0;
}

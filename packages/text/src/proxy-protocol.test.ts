import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeProxyV1, encodeProxyV2, parseProxyHeader } from './proxy-protocol.ts';

const ends = {
  sourceAddress: '203.0.113.7',
  sourcePort: 56324,
  destinationAddress: '198.51.100.1',
  destinationPort: 443,
};

describe('version 1', () => {
  test('is one line of text', () => {
    expect(encodeProxyV1(ends).toString()).toBe(
      'PROXY TCP4 203.0.113.7 198.51.100.1 56324 443\r\n',
    );
  });

  test('is UNKNOWN when the families differ', () => {
    expect(encodeProxyV1({ ...ends, destinationAddress: '2001:db8::1' }).toString()).toBe(
      'PROXY UNKNOWN\r\n',
    );
  });

  test('an IPv4 peer of a dual-stack socket is IPv4', () => {
    expect(encodeProxyV1({ ...ends, sourceAddress: '::ffff:203.0.113.7' }).toString()).toContain(
      'TCP4 203.0.113.7',
    );
  });

  test.each([
    ['PROXY TCP4 1.2.3.4 5.6.7.8 1 65536\r\n', 'bad port'],
    ['PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n', 'bad port'],
    ['PROXY TCP4 ::1 ::1 1 2\r\n', 'bad address'],
    ['PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3\r\n', 'bad address'],
    ['PROXY UDP4 1.2.3.4 5.6.7.8 1 2\r\n', 'unknown family'],
    [`PROXY TCP4 ${' '.repeat(120)}`, 'no line end in 107 bytes'],
  ])('%j is malformed', (text, reason) => {
    expect(parseProxyHeader(Buffer.from(text))).toEqual({ kind: 'malformed', reason });
  });
});

describe('version 2', () => {
  test('carries the server name and ALPN as TLVs', () => {
    const bytes = encodeProxyV2(ends, { authority: 'a.example.com', alpn: 'h2' });
    expect(bytes.subarray(28).toString('latin1')).toBe('\x01\x00\x02h2\x02\x00\x0da.example.com');
  });

  test('LOCAL names no ends', () => {
    const bytes = encodeProxyV2(undefined);
    bytes[12] = 0x20;
    expect(parseProxyHeader(bytes)).toEqual({ kind: 'header', header: { version: 2 }, length: 16 });
  });

  test.each([
    [12, 0x31, 'unknown version'],
    [12, 0x22, 'unknown command'],
    [13, 0x41, 'unknown family'],
    [14, 0xff, 'header too long'],
  ])('byte %i = %i is malformed: %s', (offset, value, reason) => {
    const bytes = encodeProxyV2(ends);
    bytes[offset] = value;
    expect(parseProxyHeader(bytes)).toEqual({ kind: 'malformed', reason });
  });
});

const address = fc.oneof(fc.tuple(fc.ipV4(), fc.ipV4()), fc.tuple(ipv6(), ipv6()));

/** Canonical text: what a parser prints back. */
function ipv6(): fc.Arbitrary<string> {
  return fc.ipV6().map((text) => new URL(`http://[${text}]/`).hostname.slice(1, -1));
}

test.each([
  ['v1', encodeProxyV1],
  ['v2', encodeProxyV2],
] as const)('%s: what is written is read back, and every prefix asks for more', (_, encode) => {
  fc.assert(
    fc.property(
      address,
      fc.nat(65535),
      fc.nat(65535),
      fc.uint8Array(),
      ([source, destination], a, b, rest) => {
        const given = {
          sourceAddress: source,
          sourcePort: a,
          destinationAddress: destination,
          destinationPort: b,
        };
        const header = encode(given);
        expect(parseProxyHeader(Buffer.concat([header, rest]))).toMatchObject({
          kind: 'header',
          header: { ends: given },
          length: header.length,
        });
        for (let cut = 1; cut < header.length; cut += 1)
          expect(parseProxyHeader(header.subarray(0, cut)).kind).toBe('need-more');
      },
    ),
    { numRuns: 200 },
  );
});

test('anything else is absent, and nothing throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
      const decision = parseProxyHeader(Buffer.from(bytes));
      expect(['need-more', 'absent', 'malformed', 'header']).toContain(decision.kind);
    }),
  );
  expect(parseProxyHeader(Buffer.from([22, 3, 1])).kind).toBe('absent');
});

import { ClientHelloParser, type HelloDecision } from '@waygate/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildHello, records } from './testing/build-hello.ts';

const parse = (bytes: Uint8Array, maxBytes?: number): HelloDecision =>
  new ClientHelloParser(maxBytes).push(bytes);

/** How many random inputs the fuzz tests try: 200,000 in CI, ten million on request. */
const fuzzInputs = Number(process.env.WAYGATE_FUZZ_INPUTS ?? 200_000);

describe('a whole hello', () => {
  test('gives the server name, ALPN and versions without GREASE', () => {
    const bytes = buildHello({
      serverName: 'a.example.com',
      alpn: ['h2', 'http/1.1'],
      versions: [0x2a2a, 0x0304, 0x0303],
    });
    expect(parse(bytes)).toEqual({
      kind: 'hello',
      hello: {
        serverName: 'a.example.com',
        alpn: ['h2', 'http/1.1'],
        versions: [0x0304, 0x0303],
        hasEncryptedClientHello: false,
        records: 1,
      },
    });
  });

  test('names the legacy version when supported_versions is absent', () => {
    const decision = parse(buildHello({ serverName: 'a.example.com' }));
    expect(decision.kind === 'hello' && decision.hello.versions).toEqual([0x0303]);
  });

  test('ignores what follows it', () => {
    const bytes = Buffer.concat([
      buildHello({ serverName: 'a.example.com' }),
      Buffer.from('early data'),
    ]);
    expect(parse(bytes).kind).toBe('hello');
  });
});

describe('what is refused', () => {
  test.each([
    [
      'plain HTTP, by its first byte',
      Buffer.from('G'),
      { kind: 'not-tls', reason: 'not-a-handshake-record' },
    ],
    [
      'a handshake record of no TLS version',
      Buffer.from([22, 9]),
      { kind: 'not-tls', reason: 'not-tls-version' },
    ],
    ['an alert', Buffer.from([21]), { kind: 'rejected', reason: 'alert-first' }],
    ['application data', Buffer.from([23]), { kind: 'rejected', reason: 'unexpected-record' }],
    [
      'an empty record',
      Buffer.from([22, 3, 1, 0, 0]),
      { kind: 'rejected', reason: 'empty-record' },
    ],
    [
      'a record over 16 KiB',
      Buffer.from([22, 3, 1, 0x40, 1]),
      { kind: 'rejected', reason: 'record-too-long' },
    ],
    [
      'a ServerHello',
      Buffer.from([22, 3, 1, 0, 4, 2]),
      { kind: 'rejected', reason: 'not-a-client-hello' },
    ],
    [
      'a message over the limit, by its header',
      Buffer.from([22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff]),
      { kind: 'rejected', reason: 'hello-too-large' },
    ],
    [
      'a NUL in the name',
      buildHello({ serverName: Buffer.from('a.example.com\0.evil.org') }),
      { kind: 'rejected', reason: 'malformed-server-name' },
    ],
  ])('%s', (_, bytes, expected) => {
    expect(parse(bytes)).toEqual(expected);
  });

  test('another record type in the middle of the hello', () => {
    const bytes = buildHello({ serverName: 'a.example.com', recordSize: 40 });
    const broken = Buffer.concat([bytes.subarray(0, 45), Buffer.from([23, 3, 3, 0, 1, 0])]);
    expect(parse(broken)).toEqual({ kind: 'rejected', reason: 'unexpected-record' });
  });

  test('a name given twice, which two parsers could read differently', () => {
    const one = buildHello({ serverName: 'a.example.com' });
    const nameExtension = one.subarray(one.indexOf('a.example.com') - 9);
    const message = Buffer.concat([one.subarray(5), nameExtension]);
    message.writeUIntBE(message.length - 4, 1, 3);
    const extensionsAt = message.length - 2 * nameExtension.length - 2;
    message.writeUInt16BE(2 * nameExtension.length, extensionsAt);
    expect(parse(records(message, 16_384))).toEqual({
      kind: 'rejected',
      reason: 'duplicate-server-name',
    });
  });

  test('a hello that trickles in past the limit in tiny records', () => {
    const bytes = buildHello({ serverName: 'a.example.com', padding: 3000, recordSize: 1 });
    expect(parse(bytes, 4096)).toEqual({ kind: 'rejected', reason: 'hello-too-large' });
  });
});

const shapes = fc.record({
  serverName: fc.option(fc.domain(), { nil: undefined }),
  alpn: fc.option(fc.array(fc.constantFrom('h2', 'http/1.1', 'acme-tls/1'), { minLength: 1 }), {
    nil: undefined,
  }),
  padding: fc.option(fc.integer({ min: 0, max: 6000 }), { nil: undefined }),
  recordSize: fc.integer({ min: 1, max: 16_384 }),
});

test('every way of cutting a hello into segments and records gives the same answer', () => {
  fc.assert(
    fc.property(
      shapes,
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }),
      (shape, sizes) => {
        const bytes = buildHello(shape);
        const parser = new ClientHelloParser(1 << 20);
        let offset = 0;
        for (let index = 0; offset < bytes.length; index += 1) {
          const size = sizes[index % sizes.length]!;
          const decision = parser.push(bytes.subarray(offset, offset + size));
          offset += size;
          if (offset < bytes.length) expect(decision.kind).toBe('need-more');
        }
        expect(parser.decision).toMatchObject({
          kind: 'hello',
          hello: { serverName: shape.serverName ?? null, alpn: shape.alpn ?? [] },
        });
      },
    ),
    { numRuns: 300 },
  );
});

test(`never throws and always decides alike, on ${fuzzInputs} mutated hellos`, () => {
  const seed = Number(process.env.WAYGATE_FUZZ_SEED ?? 1);
  const random = xorshift(seed);
  const corpus = [
    buildHello({ serverName: 'a.example.com', alpn: ['h2'], versions: [0x0304] }),
    buildHello({ serverName: 'b.example.com', recordSize: 7 }),
    buildHello({ padding: 300, serverName: 'c.example.com', recordSize: 100 }),
  ];
  const kinds = new Set<string>();
  for (let index = 0; index < fuzzInputs; index += 1) {
    const bytes = mutate(corpus[random() % corpus.length]!, random);
    const cut = random() % (bytes.length + 1);
    const whole = parse(bytes, 2048);
    const parser = new ClientHelloParser(2048);
    parser.push(bytes.subarray(0, cut));
    const split = parser.push(bytes.subarray(cut));
    kinds.add(whole.kind);
    if (JSON.stringify(split) !== JSON.stringify(whole))
      throw new Error(`seed ${seed}, input ${index}, cut ${cut}: ${bytes.toString('hex')}`);
  }
  expect([...kinds].sort()).toEqual(['hello', 'need-more', 'not-tls', 'rejected']);
});

function mutate(original: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(
    original.subarray(0, random() % 4 === 0 ? random() % original.length : original.length),
  );
  for (let edits = random() % 4; edits > 0 && bytes.length > 0; edits -= 1)
    bytes[random() % bytes.length] = random() % 3 === 0 ? 0xff : random() & 0xff;
  return bytes;
}

function xorshift(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientHelloParser, type HelloDecision } from './client-hello.ts';
import {
  alpn,
  extension,
  helloBytes,
  nameEntry,
  records,
  serverName,
  vector,
  versions,
} from './testing/hello-bytes.ts';

const parse = (bytes: Uint8Array, maxBytes?: number): HelloDecision =>
  new ClientHelloParser(maxBytes).push(bytes);

/** How many random inputs the fuzz tests try: 200,000 in CI, ten million on request. */
const fuzzInputs = Number(process.env.WAYGATE_FUZZ_INPUTS ?? 200_000);

const plain = {
  serverName: null,
  alpn: [],
  versions: [0x0303],
  hasEncryptedClientHello: false,
  records: 1,
};
const name = serverName('a.example.com');

describe('what a hello says', () => {
  test.each<[string, Buffer, object]>([
    [
      'server name, ALPN and versions without GREASE',
      helloBytes({
        extensions: [name, alpn('h2', 'http/1.1'), versions(0x2a2a, 0x0304, 0xfafa, 0x0303)],
      }),
      { serverName: 'a.example.com', alpn: ['h2', 'http/1.1'], versions: [0x0304, 0x0303] },
    ],
    [
      'the legacy version without extensions',
      helloBytes({ legacyVersion: 0x0301 }),
      { versions: [0x0301] },
    ],
    ['no extension in the block', helloBytes({ extensions: [] }), {}],
    [
      'that the name is the outer one',
      helloBytes({ extensions: [extension(0xfe0d, Buffer.alloc(9)), name] }),
      { serverName: 'a.example.com', hasEncryptedClientHello: true },
    ],
    [
      'an empty extension of names',
      helloBytes({ extensions: [extension(0, Buffer.alloc(0))] }),
      {},
    ],
    [
      'an empty list of names',
      helloBytes({ extensions: [extension(0, vector(Buffer.alloc(0), 2))] }),
      {},
    ],
    ['an empty name', helloBytes({ extensions: [serverName('')] }), {}],
    ['a name of another kind', helloBytes({ extensions: [serverName('x', 1)] }), {}],
    [
      'the first host among names of other kinds',
      helloBytes({
        extensions: [
          extension(
            0,
            vector(Buffer.concat([nameEntry('x', 7), nameEntry('b.test'), nameEntry('c.test')]), 2),
          ),
        ],
      }),
      { serverName: 'b.test' },
    ],
    [
      'protocols that are text',
      helloBytes({ extensions: [alpn('h2', '\u0001\u0001', 'a b', 'x~')] }),
      { alpn: ['h2', 'x~'] },
    ],
    ['a session of 32 bytes', helloBytes({ sessionId: Buffer.alloc(32) }), {}],
    [
      'half a version is none',
      helloBytes({ extensions: [extension(43, Buffer.from([3, 3, 4, 3]))] }),
      { versions: [0x0304] },
    ],
    [
      'what it does not know',
      helloBytes({
        extensions: [extension(51, Buffer.alloc(40)), name, extension(10, Buffer.alloc(2))],
      }),
      { serverName: 'a.example.com' },
    ],
    [
      'how many records there were',
      helloBytes({ extensions: [name], recordSize: 30 }),
      { serverName: 'a.example.com', records: 3 },
    ],
    [
      'nothing of what follows it',
      Buffer.concat([helloBytes({ extensions: [name] }), Buffer.from('early data')]),
      { serverName: 'a.example.com' },
    ],
  ])('%s', (_what, bytes, expected) => {
    expect(parse(bytes)).toEqual({ kind: 'hello', hello: { ...plain, ...expected } });
  });
});

describe('what is refused', () => {
  const longer = (data: Buffer, by: number) => {
    const copy = Buffer.from(data);
    copy[1] = copy[1]! + by;
    return copy;
  };

  test.each<[string, Buffer, string, string]>([
    ['plain HTTP, by its first byte', Buffer.from('G'), 'not-tls', 'not-a-handshake-record'],
    [
      'what comes before change_cipher_spec',
      Buffer.from([19]),
      'not-tls',
      'not-a-handshake-record',
    ],
    ['a handshake record of no TLS version', Buffer.from([22, 9]), 'not-tls', 'not-tls-version'],
    ['an alert', Buffer.from([21]), 'rejected', 'alert-first'],
    ['a change of ciphers', Buffer.from([20]), 'rejected', 'unexpected-record'],
    ['application data', Buffer.from([23]), 'rejected', 'unexpected-record'],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0]), 'rejected', 'empty-record'],
    ['a record over 16 KiB', Buffer.from([22, 3, 1, 0x40, 1]), 'rejected', 'record-too-long'],
    ['a ServerHello', Buffer.from([22, 3, 1, 0, 4, 2]), 'rejected', 'not-a-client-hello'],
    [
      'a message over the limit, by its header',
      Buffer.from([22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff]),
      'rejected',
      'hello-too-large',
    ],
    [
      'a NUL in the name',
      helloBytes({ extensions: [serverName('a.example.com\0.evil.org')] }),
      'rejected',
      'malformed-server-name',
    ],
    [
      'a space in the name',
      helloBytes({ extensions: [serverName('a b')] }),
      'rejected',
      'malformed-server-name',
    ],
    [
      'a DEL in the name',
      helloBytes({ extensions: [serverName('a\u007f')] }),
      'rejected',
      'malformed-server-name',
    ],
    [
      'a list of names that is too short',
      helloBytes({
        extensions: [extension(0, Buffer.concat([vector(nameEntry('a'), 2), Buffer.alloc(1)]))],
      }),
      'rejected',
      'malformed-server-name',
    ],
    [
      'a list of names that is cut',
      helloBytes({ extensions: [extension(0, longer(vector(nameEntry('a'), 2), 1))] }),
      'rejected',
      'malformed-server-name',
    ],
    [
      'a name that is cut',
      helloBytes({ extensions: [extension(0, vector(Buffer.from([0, 0, 9, 65]), 2))] }),
      'rejected',
      'malformed-server-name',
    ],
    [
      'a name given twice, which two parsers could read differently',
      helloBytes({ extensions: [name, name] }),
      'rejected',
      'duplicate-server-name',
    ],
    [
      'two extensions of names, the first without any',
      helloBytes({ extensions: [extension(0, Buffer.alloc(0)), name] }),
      'rejected',
      'duplicate-server-name',
    ],
    [
      'protocols that are cut',
      helloBytes({ extensions: [extension(16, vector(Buffer.from([5, 65]), 2))] }),
      'rejected',
      'malformed-hello',
    ],
    [
      'a list of protocols that is cut',
      helloBytes({ extensions: [extension(16, Buffer.from([0, 9, 1, 65]))] }),
      'rejected',
      'malformed-hello',
    ],
    [
      'a list of protocols that is too short',
      helloBytes({ extensions: [extension(16, Buffer.from([0, 2, 1, 65, 0]))] }),
      'rejected',
      'malformed-hello',
    ],
    [
      'an extension that is cut',
      helloBytes({ extensions: [Buffer.from([0, 51, 0, 9, 1])] }),
      'rejected',
      'malformed-hello',
    ],
    [
      'half an extension',
      helloBytes({ extensions: [Buffer.from([0])] }),
      'rejected',
      'malformed-hello',
    ],
    [
      'a session of 33 bytes',
      helloBytes({ sessionId: Buffer.alloc(33) }),
      'rejected',
      'malformed-hello',
    ],
    [
      'half a cipher suite',
      helloBytes({ cipherSuites: Buffer.alloc(3) }),
      'rejected',
      'malformed-hello',
    ],
    ['no compression', helloBytes({ compression: Buffer.alloc(0) }), 'rejected', 'malformed-hello'],
    [
      'bytes behind the extensions',
      helloBytes({ extensions: [], behind: Buffer.alloc(1) }),
      'rejected',
      'malformed-hello',
    ],
    [
      'a block of extensions that is cut',
      helloBytes({ behind: Buffer.from([0, 4, 0]) }),
      'rejected',
      'malformed-hello',
    ],
    [
      'a message that ends in the random',
      records(Buffer.concat([Buffer.from([1, 0, 0, 9]), Buffer.alloc(9, 3)]), 100),
      'rejected',
      'malformed-hello',
    ],
    [
      'another handshake message of the right form',
      helloBytes({ type: 2 }),
      'rejected',
      'not-a-client-hello',
    ],
  ])('%s', (_what, bytes, kind, reason) => {
    expect(parse(bytes)).toEqual({ kind, reason });
  });

  const whole = helloBytes({ extensions: [name], recordSize: 40 });

  test.each([
    ['another record type', [23, 3, 3, 0, 1, 0]],
    ['an alert', [21, 3, 3, 0, 1, 0]],
    ['a record of no version', [22, 9]],
  ])('in the middle of the hello: %s', (_what, bytes) => {
    const broken = Buffer.concat([whole.subarray(0, 45), Buffer.from(bytes)]);
    expect(parse(broken)).toEqual({ kind: 'rejected', reason: 'unexpected-record' });
  });

  test('what is decided stays so', () => {
    const parser = new ClientHelloParser();
    parser.push(Buffer.from('G'));
    expect(parser.push(whole)).toEqual({ kind: 'not-tls', reason: 'not-a-handshake-record' });
    expect(parser.decision).toEqual({ kind: 'not-tls', reason: 'not-a-handshake-record' });
  });
});

describe('limits', () => {
  const tooLarge = { kind: 'rejected', reason: 'hello-too-large' };
  const bytes = helloBytes({ extensions: [extension(21, Buffer.alloc(300)), name] });

  test('a hello of the limit is taken, one byte less is too little', () => {
    expect(parse(bytes, bytes.length - 5).kind).toBe('hello');
    expect(parse(bytes, bytes.length - 6)).toEqual(tooLarge);
  });

  test('a hello that trickles in past the limit in tiny records', () => {
    const trickled = helloBytes({
      extensions: [extension(21, Buffer.alloc(3000)), name],
      recordSize: 1,
    });
    expect(parse(trickled, 4096)).toEqual(tooLarge);
    expect(parse(trickled).kind).toBe('hello');
  });

  test('without a limit of its own it is 64 KiB', () => {
    const padded = (size: number) =>
      helloBytes({ extensions: [extension(21, Buffer.alloc(size))] });
    expect(parse(padded(65_000)).kind).toBe('hello');
    expect(parse(padded(65_500))).toEqual(tooLarge);
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
        const bytes = helloBytes({
          recordSize: shape.recordSize,
          extensions: [
            ...(shape.padding === undefined ? [] : [extension(21, Buffer.alloc(shape.padding))]),
            ...(shape.serverName === undefined ? [] : [serverName(shape.serverName)]),
            ...(shape.alpn === undefined ? [] : [alpn(...shape.alpn)]),
          ],
        });
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
    helloBytes({ extensions: [name, alpn('h2'), versions(0x0304)] }),
    helloBytes({ extensions: [serverName('b.example.com')], recordSize: 7 }),
    helloBytes({ extensions: [extension(21, Buffer.alloc(300)), name], recordSize: 100 }),
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

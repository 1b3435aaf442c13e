import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpBindings } from './http-binding.ts';
import { MessageFrames } from './message-frames.ts';
import { decodeMessage } from './proto-decode.ts';
import { encodeMessage } from './proto-encode.ts';
import { parseProto } from './proto-file.ts';
import { ProtoTypes } from './proto-types.ts';

const source = `
syntax = "proto3";
/* a comment { */ package a.b;
import "google/protobuf/timestamp.proto";
import public 'other.proto';
option go_package = "x";
message All {
  int32 i32 = 1; int64 i64 = 2; uint32 u32 = 3; uint64 u64 = 4; sint32 s32 = 5; sint64 s64 = 6;
  fixed32 f32 = 7; fixed64 f64 = 8; sfixed32 sf32 = 9; sfixed64 sf64 = 10;
  double d = 11; bool b = 12; string s = 13; bytes raw = 14;
  repeated int32 many = 15 [packed = true, deprecated = false];
  repeated string texts = 16;
  map<string, All> by_name = 17;
  Kind kind = 18;
  oneof choice { string one = 19; Other other = 20; }
  google.protobuf.Timestamp at = 21;
  optional int32 maybe = 22;
  float f = 23;
  enum Kind { NONE = 0; SOME = 1; LESS = -1; }
  message Inner { .a.b.All.Kind kind = 1; }
  Inner inner = 24;
  reserved 30 to 40;
}
service S {
  rpc Get (All) returns (stream Other) {
    option deprecated = true;
    option (google.api.http) = {
      get: "/v1/{s}/x"
      additional_bindings { post: "/v1/{inner.kind}:go" body: "*" }
      additional_bindings: { put: "/all/{s=a/**}", body: "inner" }
    };
  }
  rpc Plain (All) returns (All);
}
`;

let directory: string;
let types: ProtoTypes;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'proto-'));
  writeFileSync(join(directory, 'main.proto'), source);
  writeFileSync(join(directory, 'other.proto'), 'package a.b; message Other { string s = 1; }');
  types = ProtoTypes.load(join(directory, 'main.proto'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const encode = (value: object) => encodeMessage(types, 'a.b.All', value);
const decode = (bytes: Buffer) => decodeMessage(types, 'a.b.All', bytes);

describe('bytes are those of the format', () => {
  test.each<[object, string]>([
    [{ i32: 150 }, '089601'],
    [{ i32: -1 }, '08ffffffffffffffffff01'],
    [{ s32: -2 }, '2803'],
    [{ s: 'testing' }, '6a0774657374696e67'],
    [{ many: [3, 270, 86942] }, '7a06038e029ea705'],
    [{ many: '3' }, '7a0103'],
    [{ d: 1 }, '59000000000000f03f'],
    [{ f32: 1 }, '3d01000000'],
    [{ kind: 'SOME' }, '900101'],
    [{ byName: { x: {} } }, '8a01050a01781200'],
    [{ i32: 0, s: '', b: false, d: 0 }, ''],
    [{ maybe: 0 }, 'b00100'],
    [{ one: '' }, '9a0100'],
    [{ unknown: 1 }, ''],
    [{ at: '1970-01-01T00:00:01.5Z' }, 'aa0108080110' + '80cab5ee01'],
  ])('%j', (value, hex) => {
    expect(encode(value).toString('hex')).toBe(hex);
  });

  test.each([
    [{ i32: 2 ** 31 }],
    [{ u32: -1 }],
    [{ i32: 1.5 }],
    [{ i32: 'x' }],
    [{ b: 'maybe' }],
    [{ kind: 'WHAT' }],
    [{ inner: 'x' }],
    [{ byName: [] }],
    [{ at: 'soon' }],
  ])('%j is refused', (value) => {
    expect(() => encode(value)).toThrow();
  });
});

test('what was written is read again', () => {
  const int = (bits: number, signed: boolean) =>
    fc.bigInt(
      signed ? -(2n ** BigInt(bits - 1)) : 1n,
      signed ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n,
    );
  const number = (arbitrary: fc.Arbitrary<bigint>) =>
    arbitrary
      .filter((value) => value !== 0n)
      .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)));
  const flat = fc.record(
    {
      i32: number(int(32, true)),
      i64: number(int(64, true)),
      u32: number(int(32, false)),
      u64: number(int(64, false)),
      s32: number(int(32, true)),
      s64: number(int(64, true)),
      f32: number(int(32, false)),
      f64: number(int(64, false)),
      sf32: number(int(32, true)),
      sf64: number(int(64, true)),
      d: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0),
      b: fc.constant(true),
      s: fc.string({ minLength: 1 }),
      many: fc.array(number(int(32, true)), { minLength: 1 }),
      texts: fc.array(fc.string(), { minLength: 1 }),
      kind: fc.constantFrom('SOME', 'LESS'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(flat, fc.dictionary(fc.string(), flat), (value, by_name) => {
      const whole = Object.keys(by_name).length === 0 ? value : { ...value, by_name };
      expect(decode(encode(whole))).toEqual({ ...whole });
    }),
    { numRuns: 60 },
  );
});

test('bytes that are no message are refused, and never more than that', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        expect(decode(Buffer.from(bytes))).toBeTypeOf('object');
      } catch (error) {
        expect((error as Error).name).toMatch(/^(Error|RangeError)$/);
      }
    }),
    { numRuns: 300 },
  );
});

test('a time comes back as text', () => {
  expect(decode(encode({ at: '2026-01-02T03:04:05.25Z' }))).toEqual({
    at: '2026-01-02T03:04:05.25Z',
  });
});

describe('a path', () => {
  test.each<[string, string, object | undefined]>([
    ['get', '/v1/a/x', { s: 'a' }],
    ['get', '/v1//x', undefined],
    ['get', '/v1/a/b/x', undefined],
    ['post', '/v1/SOME:go', { 'inner.kind': 'SOME' }],
    ['post', '/v1/SOME', undefined],
    ['put', '/all/a/b/c', { s: 'a/b/c' }],
    ['put', '/all/b/c', undefined],
    ['put', '/all/a', undefined],
  ])('%s %s', (verb, path, variables) => {
    const bindings = httpBindings(types.methods).filter((each) => each.verb === verb);
    expect(bindings.map((each) => each.match(path)).find((each) => each)).toEqual(variables);
  });
});

test.each([
  ['a directory', () => directory],
  ['a device without end', () => '/dev/zero'],
  [
    'a pipe that nobody writes to',
    () => {
      const path = join(directory, 'pipe');
      execFileSync('mkfifo', [path]);
      return path;
    },
  ],
  [
    'more than enough',
    () => {
      const path = join(directory, 'large.proto');
      writeFileSync(path, ' '.repeat(1024 * 1024 + 1));
      return path;
    },
  ],
])('%s is refused at once', (_, path) => {
  const file = path();
  expect(() => ProtoTypes.load(file)).toThrow(/this is no file|more than 1048576 bytes|EISDIR/);
});

test('an error names the line and nothing that stands there', () => {
  expect(() => parseProto('syntax = "proto3";\n\nmessage A { secret }')).toThrow(/^line 3: /);
  expect(() => parseProto('root:x:0:0')).toThrow('line 1: this is no declaration');
});

test('messages are taken out of a body wherever it is cut', () => {
  const frame = (text: string) => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(text.length, 1);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const body = Buffer.concat([frame('one'), frame(''), frame('three'), Buffer.from('xy')]);
  for (let cut = 0; cut <= body.length; cut += 1) {
    const frames = new MessageFrames(1000);
    const found = [body.subarray(0, cut), body.subarray(cut)].flatMap((each) => frames.push(each));
    expect(found.map(String)).toEqual(['one', '', 'three']);
    expect(String(frames.rest())).toBe('xy');
  }
});

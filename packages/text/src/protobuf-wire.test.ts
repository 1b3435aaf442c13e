import { describe, expect, test } from 'vitest';
import { varint, wireFields, wireValues } from './protobuf-wire.ts';

const largest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

describe('a number', () => {
  test.each<[number | bigint, number[]]>([
    [0, [0]],
    [1, [1]],
    [127, [127]],
    [128, [0x80, 1]],
    [300, [0xac, 2]],
    [16_383, [0xff, 0x7f]],
    [16_384, [0x80, 0x80, 1]],
    [2 ** 40, [0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    [2n ** 64n - 1n, largest],
    [-1, largest],
  ])('%s', (value, bytes) => {
    expect([...varint(value)]).toEqual(bytes);
    expect([...wireValues(Buffer.from(bytes), 0)]).toEqual([BigInt.asUintN(64, BigInt(value))]);
  });
});

describe('the fields of a message', () => {
  const bytes = (...parts: (number | readonly number[])[]) => Buffer.from(parts.flat());
  test.each<[string, Buffer, unknown[]]>([
    ['none', bytes(), []],
    ['a number', bytes(8, 5), [{ number: 1, wire: 0, value: 5n }]],
    [
      'eight bytes',
      bytes(9, [1, 2, 3, 4, 5, 6, 7, 8]),
      [{ number: 1, wire: 1, value: bytes([1, 2, 3, 4, 5, 6, 7, 8]) }],
    ],
    ['a text', bytes(0x12, 2, [104, 105]), [{ number: 2, wire: 2, value: bytes([104, 105]) }]],
    ['an empty text', bytes(0x12, 0), [{ number: 2, wire: 2, value: bytes() }]],
    ['four bytes', bytes(0x1d, [1, 2, 3, 4]), [{ number: 3, wire: 5, value: bytes([1, 2, 3, 4]) }]],
    [
      'two, of which one has a large number',
      bytes(8, 1, 0x80, 1, 7),
      [
        { number: 1, wire: 0, value: 1n },
        { number: 16, wire: 0, value: 7n },
      ],
    ],
  ])('%s', (_, message, fields) => {
    expect([...wireFields(message)]).toEqual(fields);
  });

  test.each<[string, Buffer, string]>([
    ['a tag that is cut', bytes(0x80), 'unexpected EOF'],
    ['a number that is missing', bytes(8), 'unexpected EOF'],
    ['a number that is cut', bytes(8, 0x80), 'unexpected EOF'],
    ['seven bytes of eight', bytes(9, [1, 2, 3, 4, 5, 6, 7]), 'unexpected EOF'],
    ['three bytes of four', bytes(13, [1, 2, 3]), 'unexpected EOF'],
    ['a text that is cut', bytes(0x12, 3, [104, 105]), 'unexpected EOF'],
    ['a text of any length', bytes(0x12, largest), 'unexpected EOF'],
    ['a number that does not end', bytes(8, Array(11).fill(0x80)), 'integer overflow'],
    ['field zero', bytes(0, 1), 'illegal tag 0'],
    ['a group', bytes(0x0b), 'illegal wireType 3'],
    ['the end of a group', bytes(0x0c), 'illegal wireType 4'],
    ['a type to come', bytes(0x0e), 'illegal wireType 6'],
  ])('%s is no message', (_, message, why) => {
    expect(() => [...wireFields(message)]).toThrow(why);
  });
});

test('packed values are of one type', () => {
  expect([...wireValues(Buffer.from([1, 0x80, 1, 3]), 0)]).toEqual([1n, 128n, 3n]);
  expect([...wireValues(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]), 5)]).toEqual([
    Buffer.from([1, 2, 3, 4]),
    Buffer.from([5, 6, 7, 8]),
  ]);
  expect(() => [...wireValues(Buffer.from([1, 2, 3]), 5)]).toThrow('unexpected EOF');
});

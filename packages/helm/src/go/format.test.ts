import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Budget } from './budget.ts';
import { byteLength, decodeBytes, encodeBytes, sliceBytes } from './bytes.ts';
import { formatGoFloat } from './float-text.ts';
import { sprint, sprintf } from './format.ts';
import { stringSlice } from './type.ts';
import { GoMap, GoSlice, type GoValue, goInt, goInt64 } from './value.ts';

const budget = new Budget();

describe('sprintf', () => {
  const cases: [string, GoValue[], string][] = [
    ['%d', [80], '%!d(float64=80)'],
    ['%s', ['a'], 'a'],
    ['%5d|%-5d|%05d|%+d', [goInt(7), goInt(7), goInt(-7), goInt(7)], '    7|7    |-0007|+7'],
    [
      '%x %X %o %O %b %#x',
      [goInt(255), goInt(255), goInt(8), goInt(8), goInt(5), goInt(255)],
      'ff FF 10 0o10 101 0xff',
    ],
    ['%q %+q %#q %x', ['é"', 'é', 'a', 'hi'], '"é\\"" "\\u00e9" `a` 6869'],
    ['%c %U %#U', [goInt(0x1f600), goInt(0x1f600), goInt(0x41)], "😀 U+1F600 U+0041 'A'"],
    [
      '%.2f %8.3f %e %g %G',
      [1.005, 3.1419, 1234.5, 1e21, 1e-7],
      '1.00    3.142 1.234500e+03 1e+21 1E-07',
    ],
    ['%.0f %.0f %.0f', [0.5, 1.5, 2.5], '0 2 2'],
    ['%v %+v %#v', [[1, 'a', null], true, ['x']], '[1 a <nil>] true []interface {}{"x"}'],
    [
      '%v',
      [
        new GoMap([
          ['b', 1],
          ['a', [goInt(2)]],
        ]),
      ],
      'map[a:[2] b:1]',
    ],
    ['%T %T %T', [goInt64(1), 1, new GoSlice(stringSlice, [])], 'int64 float64 []string'],
    ['%[2]s %[1]s', ['a', 'b'], 'b a'],
    ['%*d', [goInt(4), goInt(1)], '   1'],
    ['%s', [], '%!s(MISSING)'],
    ['x', ['b'], 'x%!(EXTRA string=b)'],
    ['%', [], '%!(NOVERB)'],
    ['%z', [goInt(1)], '%!z(int=1)'],
    ['%t %s', [true, null], 'true %!s(<nil>)'],
    ['%6.2s|', ['héllo'], '    hé|'],
    ['%99999999999d', [goInt(1)], '%!(NOVERB)%!(EXTRA int=1)'],
  ];
  test.each(cases)('%s', (format, args, expected) => {
    expect(sprintf(format, args, budget)).toBe(expected);
  });

  test('any format gives a text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.oneof(fc.string(), fc.double(), fc.boolean())),
        (format, args) => {
          expect(typeof sprintf(`%${format}`, args, new Budget())).toBe('string');
        },
      ),
    );
  });
});

describe('floats', () => {
  test('are printed so that they read back as the same', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(sprint([value], budget))).toBe(value);
        expect(Number(formatGoFloat(value, 'e', -1))).toBe(value);
        expect(Number(formatGoFloat(value, 'f', -1))).toBe(value);
        expect(Number(formatGoFloat(value, 'e', 17))).toBe(value);
      }),
    );
  });

  test.each([
    [999999, '999999'],
    [1000000, '1e+06'],
    [1234567, '1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-0, '-0'],
  ])('%d is %s', (value, expected) => {
    expect(sprint([value], budget)).toBe(expected);
  });
});

describe('bytes in strings', () => {
  test('come back as they went in, and are counted and cut as Go does', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(20), (bytes, at) => {
        const text = decodeBytes(bytes);
        expect(encodeBytes(text)).toEqual(Buffer.from(bytes));
        expect(byteLength(text)).toBe(bytes.length);
        expect(encodeBytes(sliceBytes(text, at))).toEqual(Buffer.from(bytes.subarray(at)));
        const [head, tail] = [sliceBytes(text, 0, at), sliceBytes(text, at)];
        expect(encodeBytes(head + tail)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Quantity } from './quantity.ts';

describe('Quantity', () => {
  it.each([
    ['0', '1Gi', '1Gi', '-1Gi'],
    ['1Gi', '0', '1Gi', '1Gi'],
    ['1Gi', '1024Mi', '2Gi', '0'],
    ['1k', '1Ki', '2024', '-24'],
    ['1Ki', '1k', '2024', '24'],
  ])(
    '%s and %s: the sum %s and the difference %s are written as the first is, unless that is none',
    (one, two, sum, difference) => {
      const [left, right] = [Quantity.parse(one), Quantity.parse(two)];
      expect(left.add(right).toString()).toBe(sum);
      expect(left.subtract(right).toString()).toBe(difference);
    },
  );

  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['-0', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1Ki', '1Ki'],
    ['0.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['1023', '1023'],
    ['0.001Ki', '1024m'],
    ['12e6', '12e6'],
    ['12E3', '12e3'],
    ['1e1', '10'],
    ['1E', '1E'],
    ['1e-3', '1e-3'],
    ['100u', '100u'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+7', '7'],
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775807'],
    ['1e400', '9223372036854775807'],
    ['99999999999Ei', '9223372036854775807'],
  ])('%s is %s', (text, canonical) => {
    expect(Quantity.parse(text).toString()).toBe(canonical);
  });

  it.each(['', '.', 'm', '1i', '1.2.3', '1 Gi', '1ki', '0x10', '1e', `${'1'.repeat(300)}`])(
    'refuses %j',
    (text) => {
      expect(() => Quantity.parse(text)).toThrow(/invalid quantity/);
    },
  );

  it('is exact where doubles are not', () => {
    const sum = Quantity.parse('0.1').add(Quantity.parse('0.2'));
    expect(sum.equals(Quantity.parse('0.3'))).toBe(true);
    expect(sum.milliValue()).toBe(300n);
    expect(Quantity.parse('1m').value()).toBe(1n);
  });

  it('comes back from its canonical text with the same value and text', () => {
    const text = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
        fc.option(fc.nat({ max: 999_999 }), { nil: undefined }),
        fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'e-3'),
      )
      .map(([whole, fraction, suffix]) =>
        fraction === undefined ? `${whole}${suffix}` : `${whole}.${fraction}${suffix}`,
      );
    fc.assert(
      fc.property(text, (one) => {
        const quantity = Quantity.parse(one);
        const again = Quantity.parse(quantity.toString());
        expect(again.equals(quantity)).toBe(true);
        expect(again.toString()).toBe(quantity.toString());
      }),
    );
  });

  it('adds and subtracts without loss', () => {
    const milli = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(milli, milli, (a, b) => {
        const left = Quantity.parse(`${a}m`);
        const right = Quantity.parse(`${b}m`);
        expect(left.add(right).milliValue()).toBe(BigInt(a + b));
        expect(left.add(right).subtract(right).equals(left)).toBe(true);
        expect(left.compare(right)).toBe(Math.sign(a - b) + 0);
      }),
    );
  });
});

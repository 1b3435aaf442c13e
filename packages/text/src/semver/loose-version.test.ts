import { describe, expect, test } from 'vitest';
import { comparePrereleases, LooseVersion, VersionError } from './loose-version.ts';

const v = (text: string) => LooseVersion.parse(text);

test.each([
  ['v1.2', '1.2.0'],
  ['1', '1.0.0'],
  ['1.2.3-rc.1+b', '1.2.3-rc.1+b'],
  ['1.2.3+b.7-x', '1.2.3+b.7-x'],
  ['01.02.03', '1.2.3'],
  ['1-rc', '1.0.0-rc'],
  ['1.2-0', '1.2.0-0'],
  ['1.0.0--', '1.0.0--'],
  ['1.0.0-0a', '1.0.0-0a'],
  ['18446744073709551615.0.0', '18446744073709551615.0.0'],
])('%s is %s', (text, expected) => {
  expect(v(text).toString()).toBe(expected);
  expect(v(text).original).toBe(text);
});

test.each([
  ['', 'invalid semantic version'],
  ['vv1', 'invalid semantic version'],
  ['V1', 'invalid semantic version'],
  ['1.', 'invalid semantic version'],
  ['1.2.3.4', 'invalid semantic version'],
  ['1.2.3-', 'invalid semantic version'],
  ['1.2.3-a..b', 'invalid semantic version'],
  ['1.2.3+', 'invalid semantic version'],
  [' 1', 'invalid semantic version'],
  ['1.2.3-01', 'version segment starts with 0'],
  ['1.2.3-a.00', 'version segment starts with 0'],
  ['18446744073709551616', 'parsing "18446744073709551616": value out of range'],
  ['1.99999999999999999999', 'value out of range'],
  [`1.0.0-${'a'.repeat(251)}`, 'version string is too long (max 256 bytes)'],
])('refuses %j', (text, message) => {
  expect(() => v(text)).toThrow(VersionError);
  expect(() => v(text)).toThrow(message);
  expect(LooseVersion.read(text)).toBeUndefined();
});

test('a version of as many bytes as may be is read', () => {
  expect(v(`1.0.0-${'a'.repeat(250)}`).prerelease).toHaveLength(250);
});

test('versions are in order, whatever the metadata', () => {
  const sorted = [
    '0.9.9',
    '1.0.0-1',
    '1.0.0-2',
    '1.0.0-10',
    '1.0.0-18446744073709551615',
    // Too large for a number of Go's: a word.
    '1.0.0-18446744073709551616',
    '1.0.0-a',
    '1.0.0-a.1',
    '1.0.0-a.b',
    '1.0.0-b',
    '1.0.0',
    '1.0.1',
    '1.1.0',
    '1.10.0',
    '2.0.0',
  ].map(v);
  for (const [i, one] of sorted.entries())
    for (const [j, other] of sorted.entries())
      expect(`${one} ${Math.sign(one.compare(other))} ${other}`).toBe(
        `${one} ${Math.sign(i - j)} ${other}`,
      );
  expect(v('1.0.0+a').compare(v('1.0.0+b'))).toBe(0);
});

test.each([
  ['1', '1', 0],
  ['1', '2', -1],
  ['2', '1', 1],
  ['1', 'a', -1],
  ['a', '1', 1],
  ['a', 'b', -1],
  ['b', 'a', 1],
  ['a', 'a.1', -1],
  ['a.1', 'a', 1],
  ['a.1.x', 'a.1.x', 0],
])('of the prereleases %s and %s: %d', (one, other, expected) => {
  expect(comparePrereleases(one, other)).toBe(expected);
});

describe('the next version', () => {
  test.each<[string, 'major' | 'minor' | 'patch', string, string]>([
    ['1.2.3', 'major', '2.0.0', '2.0.0'],
    ['v1.2.3', 'minor', '1.3.0', 'v1.3.0'],
    ['1.2.3', 'patch', '1.2.4', '1.2.4'],
    ['1.2.3-rc.1+x', 'patch', '1.2.3', '1.2.3'],
    ['v1.2.3-rc.1', 'minor', '1.3.0', 'v1.3.0'],
    ['1.2.3+x', 'major', '2.0.0', '2.0.0'],
  ])('of %s by its %s is %s', (text, part, expected, original) => {
    expect(v(text).next(part).toString()).toBe(expected);
    expect(v(text).next(part).original).toBe(original);
  });
});

describe('with another part', () => {
  test.each<[string, 'prerelease' | 'metadata', string, string]>([
    ['1.2.3', 'prerelease', 'rc.1', '1.2.3-rc.1'],
    ['v1.2.3-a', 'prerelease', '', 'v1.2.3'],
    ['v1.2.3-a+b', 'metadata', 'c', 'v1.2.3-a+c'],
    ['1.2.3+b', 'metadata', '', '1.2.3'],
  ])('%s, its %s %j: %s', (text, part, value, expected) => {
    expect(v(text).with(part, value).original).toBe(expected);
    expect(`v${v(text).with(part, value)}`.endsWith(expected)).toBe(true);
  });

  test.each<['prerelease' | 'metadata', string, string]>([
    ['prerelease', 'a b', 'invalid prerelease string'],
    ['prerelease', '01', 'version segment starts with 0'],
    ['metadata', 'a..b', 'invalid metadata string'],
    ['metadata', 'é', 'invalid metadata string'],
  ])('a %s of %j is refused', (part, value, message) => {
    expect(() => v('1.0.0').with(part, value)).toThrow(message);
  });
});

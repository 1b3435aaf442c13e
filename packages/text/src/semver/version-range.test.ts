import { describe, expect, test } from 'vitest';
import { LooseVersion } from './loose-version.ts';
import { VersionRange } from './version-range.ts';

function isIn(range: string, version: string): boolean {
  return new VersionRange(range).includes(LooseVersion.parse(version));
}

describe('VersionRange', () => {
  test.each([
    ['>=1.2, <2', '1.9.9', true],
    ['>=1.2 <2', '2.0.0', false],
    ['^0.2', '0.3.0', false],
    ['^0.2', '0.2.9', true],
    ['~1', '1.9.0', true],
    ['1.x', '1.4.0', true],
    ['!=1.2', '1.2.7', false],
    ['1.2 - 1.4', '1.4.0', true],
    ['1.2 - 1.4', '1.5.0', false],
    ['>1', '1.5.0', false],
    ['>=1.0', '1.1.0-rc.1', false],
    ['>=1.0-0', '1.1.0-rc.1', true],
    ['<1 || >2.5', '3', true],
    ['*', 'v7', true],
  ])('%s and %s: %s', (range, version, expected) => {
    expect(isIn(range, version)).toBe(expected);
  });

  test.each(['>=', '1.2.3.4', '> > 1', 'a'])('refuses %s', (range) => {
    expect(() => new VersionRange(range)).toThrow(`improper constraint: "${range}"`);
  });

  test('a hostile range is refused at once', () => {
    expect(() => new VersionRange(`${'1     '.repeat(80)}!`)).toThrow('improper constraint');
  });
});

describe('LooseVersion', () => {
  test.each([
    ['v1.2', '1.2.0'],
    ['1', '1.0.0'],
    ['1.2.3-rc.1+b', '1.2.3-rc.1+b'],
    ['01.02.03', '1.2.3'],
  ])('%s is %s', (text, expected) => {
    expect(LooseVersion.parse(text).toString()).toBe(expected);
  });

  test.each([
    ['', 'invalid semantic version'],
    ['1.2.3-01', 'version segment starts with 0'],
    ['99999999999999999999', 'value out of range'],
  ])('refuses %j', (text, message) => {
    expect(() => LooseVersion.parse(text)).toThrow(message);
  });

  test('prereleases are in order', () => {
    const sorted = ['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-a', '1.0.0-a.1', '1.0.0'];
    const versions = [...sorted].reverse().map((text) => LooseVersion.parse(text));
    expect(versions.sort((a, b) => a.compare(b)).map(String)).toEqual(sorted);
  });
});

import { describe, expect, test } from 'vitest';
import { LooseVersion } from './loose-version.ts';
import { VersionRange } from './version-range.ts';

function isIn(range: string, version: string): boolean {
  return new VersionRange(range).includes(LooseVersion.parse(version));
}

describe('VersionRange', () => {
  // Of each operator: what is just within, and what is just outside, with and without open parts.
  test.each<[string, string, string]>([
    ['>=1.2, <2', '1.2.0 1.9.9', '1.1.9 2.0.0'],
    ['>=1.2 <2', '1.2.0', '2.0.0'],
    ['=>1.2.3', '1.2.3 1.2.4 2.0.0', '1.2.2'],
    ['=<1.2.3', '1.2.3 0.1.0', '1.2.4'],
    ['<=1.2', '1.2.9 1.1.0 0.9.0', '1.3.0 2.0.0 2.1.0'],
    ['<=1', '1.9.9 0.1.0', '2.0.0'],
    ['<=1.2.3', '1.2.3', '1.2.4 1.3.0'],
    ['<1.2.3', '1.2.2', '1.2.3'],
    ['<1.2', '1.1.9', '1.2.0'],
    ['>1.2.3', '1.2.4 1.3.0 2.0.0', '1.2.3 1.2.2'],
    ['>1.2', '1.3.0 2.0.0', '1.2.9 1.1.0 0.9.0'],
    ['>1', '2.0.0', '1.5.0 0.5.0'],
    ['=1.2.3', '1.2.3', '1.2.4 1.2.2'],
    ['1.2.3', '1.2.3', '1.2.4'],
    ['1.2', '1.2.0 1.2.9', '1.3.0 1.1.0 2.2.0'],
    ['1.x', '1.0.0 1.4.0', '2.0.0 0.9.0'],
    ['1.2.*', '1.2.0 1.2.7', '1.3.0'],
    ['1.X.3', '1.0.0 1.7.0', '2.0.0'],
    ['*', '0.0.0 7.0.0', '7.0.0-a'],
    ['!=1.2.3', '1.2.4 2.2.3', '1.2.3'],
    ['!=1.2', '1.3.0 2.2.0', '1.2.0 1.2.7'],
    ['!=1', '2.0.0 0.1.0', '1.0.0 1.7.0'],
    ['~1.2.3', '1.2.3 1.2.9', '1.2.2 1.3.0 2.2.3'],
    ['~>1.2.3', '1.2.9', '1.3.0'],
    ['~1.2', '1.2.0 1.2.9', '1.3.0 1.1.9'],
    ['~1', '1.0.0 1.9.0', '2.0.0 0.9.0'],
    ['~0.0.0', '0.0.1 5.0.0', '5.0.0-a'],
    ['~0.0', '0.0.9', '0.1.0 1.0.0'],
    ['~0', '0.9.0', '1.0.0'],
    ['^1.2.3', '1.2.3 1.9.0', '1.2.2 2.0.0'],
    ['^1', '1.0.0 1.9.0', '2.0.0 0.9.0'],
    ['^0.2.3', '0.2.3 0.2.9', '0.2.2 0.3.0 1.2.3'],
    ['^0.2', '0.2.0 0.2.9', '0.3.0 1.0.0'],
    ['^0.0.3', '0.0.3', '0.0.2 0.0.4 0.1.3 1.0.3'],
    ['^0.0', '0.0.0 0.0.9', '0.1.0'],
    ['^0', '0.0.0 0.9.0', '1.0.0'],
    ['1.2 - 1.4', '1.2.0 1.4.0 1.4.9', '1.5.0 1.1.9'],
    ['1.2.3 - 1.4.5', '1.2.3 1.4.5', '1.4.6 1.2.2'],
    ['1.2 - 1.4 || 3', '1.3.0 3.1.0', '2.0.0'],
    ['<1 || >2.5', '0.1.0 2.6.0 3.0.0', '1.0.0 2.5.9'],
    ['>=1.0', '1.1.0', '1.1.0-rc.1'],
    ['>=1.0-0', '1.1.0-rc.1 1.0.0-0 1.0.0', '0.9.0'],
    ['>=1.0.0-a, <2', '1.1.0-rc.1', '1.0.0-Z'],
    ['>=1.0-0 || >=3', '1.1.0-rc.1 3.0.0', '0.9.0-a'],
    ['^1.2.3-beta.2', '1.2.3-beta.2 1.2.3-beta.10 1.2.3', '1.2.3-beta.1 2.0.0-a'],
    ['!=1.2.3-a', '1.2.3-b 1.2.3', '1.2.3-a'],
    ['1.2.3+x', '1.2.3+y', '1.2.4'],
  ])('%s has %s and not %s', (range, inside, outside) => {
    for (const version of inside.split(' '))
      expect([version, isIn(range, version)]).toEqual([version, true]);
    for (const version of outside.split(' '))
      expect([version, isIn(range, version)]).toEqual([version, false]);
  });

  test('a version and a range may have their v', () => {
    expect(isIn('v1.2', 'v1.2.7')).toBe(true);
  });

  test.each(['>=', '1.2.3.4', '> > 1', 'a'])('refuses %s', (range) => {
    expect(() => new VersionRange(range)).toThrow(`improper constraint: "${range}"`);
  });

  test.each([
    ['a long one', `>=1.0.0${' '.repeat(600)}`, 'constraint string is too long (max 512 bytes)'],
    [
      'many groups',
      Array.from({ length: 33 }, () => '1').join('||'),
      'too many constraint groups (max 32)',
    ],
    ['a prerelease that begins with 0', '>=1.0.0-01', 'constraint parser error'],
    ['a number that is too large', '99999999999999999999', 'constraint parser error'],
  ])('refuses %s', (_what, range, message) => {
    expect(() => new VersionRange(range)).toThrow(message);
    expect(VersionRange.read(range)).toBeUndefined();
  });

  test('takes as many groups and bytes as may be', () => {
    expect(isIn(Array.from({ length: 32 }, (_, at) => `${at}`).join('||'), '31.0.0')).toBe(true);
    expect(isIn('1'.padEnd(512), '1.0.0')).toBe(true);
  });

  test('a hostile range is refused at once', () => {
    expect(() => new VersionRange(`${'1     '.repeat(80)}!`)).toThrow('improper constraint');
  });
});

import { describe, expect, test } from 'vitest';
import { latestTag } from './latest-tag.ts';
import { isVersionConstraint, latestVersion, latestVersions } from './latest-version.ts';

const tags = ['v1.2.0', '1.10.0', 'v1.9.9', '2.0.0-rc.1', '3', '3.1', 'latest', 'v1.2.0.1'];

describe('the highest version of tags', () => {
  test.each([
    ['>=1.0.0', ['1.10.0']],
    ['1.x', ['1.10.0']],
    ['~1.9', ['v1.9.9']],
    ['1.2.0', ['v1.2.0']],
    ['>=2.0.0-0', ['2.0.0-rc.1']],
    ['<1.9', ['v1.2.0']],
  ])('by %s', (constraint, wanted) => {
    expect(latestVersions(tags, constraint)).toEqual(wanted);
    expect(latestVersion(tags, constraint)).toBe(wanted[0]);
    expect(latestTag(tags, constraint, undefined)).toBe(wanted[0]);
  });

  test('what differs in its build alone is told apart by its time, the last of equal ones', () => {
    const builds = ['1.0.0+a', '1.0.0+b', '0.9.0', '1.0.0+c'];
    expect(latestVersions(builds, '*')).toEqual(['1.0.0+a', '1.0.0+b', '1.0.0+c']);
    const times = new Map([
      ['1.0.0+a', 2],
      ['1.0.0+b', 3],
      ['1.0.0+c', 1],
    ]);
    expect(latestVersion(builds, '*', (tag) => times.get(tag) ?? 0)).toBe('1.0.0+b');
    expect(latestVersion(builds, '*')).toBe('1.0.0+c');
    expect(latestTag(builds, '*', undefined)).toBe('1.0.0+a');
  });

  test('no match and no constraint are errors', () => {
    expect(() => latestVersions(tags, '>9')).toThrow('no match found for semver: >9');
    expect(() => latestVersions(tags, 'x y')).toThrow('improper constraint: "x y"');
    expect(() => latestTag(tags, 'x y', '')).toThrow("semver 'x y' parse error: improper");
    expect(isVersionConstraint('x y')).toBe(false);
    expect(isVersionConstraint('>=1')).toBe(true);
  });

  test('an expression chooses among tags first', () => {
    expect(latestTag(tags, '>=1.0.0', '^v')).toBe('v1.9.9');
    expect(latestTag(tags, '>=1.0.0', '')).toBe('1.10.0');
    expect(() => latestTag(tags, '>=1.0.0', 'none')).toThrow('no match found');
  });
});

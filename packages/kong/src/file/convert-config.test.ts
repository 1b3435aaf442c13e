import { expect, it } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { convertToVersion3, findLegacyPaths } from './convert-config.ts';

const config = (path: string): DeclarativeConfig => ({
  _format_version: '3.0',
  routes: [{ name: 'r', paths: [path] }],
});

it.each([
  ['/a/b', false],
  ['/ü/x', false],
  ['/a b', false],
  ['/a/\\d+', true],
  ['/a/(b|c)', true],
  ['~/a/\\d+', false],
])('warns that %s looks like a regular expression: %s', (path, isWarned) => {
  expect(findLegacyPaths(config(path))).toHaveLength(isWarned ? 1 : 0);
});

it('takes for one what Kong 2 took for one', () => {
  expect(convertToVersion3(config('/ü/x')).config.routes).toEqual([
    { name: 'r', paths: ['~/ü/x'] },
  ]);
});

import { expect, test } from 'vitest';
import { shownPaths } from './route-paths.ts';

test.each([
  [['/cart/', '~/cart$'], ['/cart']],
  [['~/cart$', '/cart/'], ['/cart']],
  [
    ['~/a\\.b$', '/a.b/', '/c'],
    ['/a.b', '/c'],
  ],
  [['/'], ['/']],
  [['/cart/'], ['/cart/']],
  [['~/cart$'], ['~/cart$']],
  [
    ['~/orders/(?<id>\\d+)$', '/orders/'],
    ['~/orders/(?<id>\\d+)$', '/orders/'],
  ],
  [[], []],
])('%j reads %j', (paths, shown) => {
  expect(shownPaths(paths)).toEqual(shown);
});

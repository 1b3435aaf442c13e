import { expect, test } from 'vitest';
import type { BrokenRule } from '../translate/broken-rule.ts';
import type { RouteEntity } from '../translate/kong-state.ts';
import { narrowedTo, widenedBy } from './held-paths.ts';

const b: BrokenRule = { host: 'h', paths: ['/b/', '~/b$'] };
const bExpression: BrokenRule = {
  host: 'http.host == "h"',
  paths: ['(http.path == "/b") || (http.path ^= "/b/")'],
  priority: 5,
};
const pathB = '(http.path == "/b") || (http.path ^= "/b/")';
const header = 'http.headers.x == "(http.path && \\"(\\") && "';

const rows: readonly {
  what: string;
  route: Partial<RouteEntity>;
  rule: BrokenRule;
  narrowed: Partial<RouteEntity>;
  widened: Partial<RouteEntity>;
}[] = [
  {
    what: 'paths',
    route: { paths: ['/a', '~/b$'] },
    rule: b,
    narrowed: { paths: ['~/b$'] },
    widened: { paths: ['/a', '~/b$', '/b/'] },
  },
  {
    what: 'paths that are all there',
    route: { paths: ['~/b$', '/b/'] },
    rule: b,
    narrowed: { paths: ['~/b$', '/b/'] },
    widened: { paths: ['~/b$', '/b/'] },
  },
  {
    what: 'an expression of one path',
    route: { expression: 'http.path ^= "/a"', priority: 4 },
    rule: bExpression,
    narrowed: { expression: '', priority: 4 },
    widened: { expression: `(http.path ^= "/a") || (${pathB})`, priority: 5 },
  },
  {
    what: 'an expression that has the path among others',
    route: { expression: `(http.host == "h") && ((http.path ^= "/a") || (${pathB}))`, priority: 6 },
    rule: bExpression,
    narrowed: { expression: `(http.host == "h") && (${pathB})`, priority: 6 },
    widened: {
      expression: `(http.host == "h") && ((http.path ^= "/a") || (${pathB}))`,
      priority: 6,
    },
  },
  {
    what: 'an expression with texts that look like its own signs',
    route: { expression: `(http.path ^= "/a") && (${header})`, priority: 6 },
    rule: bExpression,
    narrowed: { expression: header, priority: 6 },
    widened: { expression: `((http.path ^= "/a") || (${pathB})) && (${header})`, priority: 6 },
  },
];

test.each(rows)('$what', ({ route, rule, narrowed, widened }) => {
  const whole = { name: 'r', strip_path: true, ...route };
  expect(narrowedTo(whole, [rule])).toEqual({ ...whole, ...narrowed });
  const wide = widenedBy(whole, [rule]);
  expect(wide).toEqual({ ...whole, ...widened });
  // The second time there is nothing to do.
  expect(widenedBy(wide, [rule])).toBe(wide);
});

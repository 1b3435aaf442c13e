import type { DynamicObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { type IgnoreTarget, ignoredPaths, removeAt } from './ignore-rule.ts';
import { withLiveValues } from './live-values.ts';

const web = (spec: unknown = {}): DynamicObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { tier: 'front' },
    annotations: { owner: 'me' },
  },
  spec,
});

describe('a rule', () => {
  const reaches = (target: IgnoreTarget | undefined) =>
    ignoredPaths(web(), [{ paths: ['/spec'], target }]).length > 0;

  test.each<[IgnoreTarget | undefined, boolean]>([
    [undefined, true],
    [{}, true],
    [{ group: '', kind: '' }, true],
    [{ group: 'apps' }, true],
    [{ group: 'batch' }, false],
    [{ version: 'v1' }, true],
    [{ version: 'v2' }, false],
    [{ kind: 'Deploy.*' }, true],
    [{ kind: 'Deploy' }, false],
    [{ namespace: 'shop|stage' }, true],
    [{ namespace: 'stage' }, false],
    [{ name: 'we.' }, true],
    [{ name: 'e' }, false],
    [{ labelSelector: 'tier=front' }, true],
    [{ labelSelector: 'tier!=front' }, false],
    [{ annotationSelector: 'owner in (me, you)' }, true],
    [{ annotationSelector: 'owner=you' }, false],
    [{ kind: 'Deployment', name: 'other' }, false],
  ])('for %j reaches the object: %s', (target, expected) => {
    expect(reaches(target)).toBe(expected);
  });

  test.each<[IgnoreTarget, string]>([
    [{ name: '(' }, '"(" is not a regular expression'],
    [{ labelSelector: 'a in' }, '"a in" is not a selector'],
  ])('for %j cannot be read', (target, message) => {
    expect(() => reaches(target)).toThrow(message);
  });

  test('names a path once, in the order of the rules', () => {
    expect(ignoredPaths(web(), [{ paths: ['/b', '/a'] }, { paths: ['/a', '/c'] }])).toEqual([
      '/b',
      '/a',
      '/c',
    ]);
  });
});

describe('a field', () => {
  test.each<[string, unknown]>([
    ['/spec/a', { list: [1, 2, 3], 'x/y': 1 }],
    ['/spec/list/1', { a: 1, list: [1, 3], 'x/y': 1 }],
    ['/spec/list/3', { a: 1, list: [1, 2, 3], 'x/y': 1 }],
    ['/spec/list/-', { a: 1, list: [1, 2, 3], 'x/y': 1 }],
    ['/spec/x~1y', { a: 1, list: [1, 2, 3] }],
    ['/spec/none/deeper', { a: 1, list: [1, 2, 3], 'x/y': 1 }],
    ['spec/a', { a: 1, list: [1, 2, 3], 'x/y': 1 }],
    ['/spec/toString', { a: 1, list: [1, 2, 3], 'x/y': 1 }],
  ])('%s is taken out, where it is', (pointer, spec) => {
    const object = web({ a: 1, list: [1, 2, 3], 'x/y': 1 });
    removeAt(object, pointer);
    expect(object.spec).toEqual(spec);
  });

  test('that others may write keeps what is live', () => {
    const asked = web({ replicas: 1, containers: [{ image: 'a:1' }], paused: false });
    const live = web({ replicas: 5, containers: [{ image: 'a:2' }] });
    const rules = [{ paths: ['/spec/replicas', '/spec/containers/0/image', '/spec/paused'] }];
    expect(withLiveValues(asked, live, rules).spec).toEqual({
      replicas: 5,
      containers: [{ image: 'a:2' }],
      paused: false,
    });
    expect(asked.spec).toMatchObject({ replicas: 1, containers: [{ image: 'a:1' }] });
    expect(withLiveValues(asked, live, [])).toBe(asked);
    expect(withLiveValues(asked, asked, rules)).toBe(asked);
  });
});

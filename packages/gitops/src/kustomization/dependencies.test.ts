import { describe, expect, test } from 'vitest';
import type { Kustomization } from '../api/kustomization-object.ts';
import { sortDependencies, unreadyDependency } from './dependencies.ts';

describe('objects are sorted by what they depend on', () => {
  const node = (key: string, ...dependsOn: string[]) => {
    const [namespace = '', name = ''] = key.split('/');
    return {
      namespace,
      name,
      dependsOn: dependsOn.map((one) => {
        const [first = '', second] = one.split('/');
        return second === undefined ? { name: first } : { namespace: first, name: second };
      }),
    };
  };

  test.each([
    [[], []],
    [
      [node('n/b'), node('n/a')],
      ['n/a', 'n/b'],
    ],
    [
      [node('n/a', 'b'), node('n/b')],
      ['n/b', 'n/a'],
    ],
    [
      [node('n/a', 'm/b'), node('m/b')],
      ['m/b', 'n/a'],
    ],
    [
      [node('n/a', '/b'), node('n/b')],
      ['n/b', 'n/a'],
    ],
    [[node('n/a', 'c', 'b')], ['n/b', 'n/c', 'n/a']],
    [
      [node('n/a', 'b', 'c'), node('n/b', 'd'), node('n/c', 'd')],
      ['n/d', 'n/b', 'n/c', 'n/a'],
    ],
  ])('%j', (nodes, wanted) => {
    expect(sortDependencies(nodes)).toEqual(wanted);
  });

  test.each([
    [[node('n/a', 'a')], 'n/a -> n/a'],
    [[node('n/a', 'b'), node('n/b', 'a')], 'n/a -> n/b -> n/a'],
    [[node('n/a', 'b'), node('n/b', 'c'), node('n/c', 'b')], 'n/b -> n/c -> n/b'],
  ])('the circle in %j is named', (nodes, circle) => {
    expect(() => sortDependencies(nodes)).toThrow(
      new RegExp(`^circular dependency detected: ${circle}$`),
    );
  });
});

describe('what an object waits for', () => {
  const artifact = { revision: 'main@1' } as never;
  const make = (name: string, changes: object = {}, status: object = {}) =>
    ({
      metadata: { name, namespace: 'n', generation: 2 },
      spec: { sourceRef: { kind: 'GitRepository', name: 'fleet' }, ...changes },
      status: {
        observedGeneration: 2,
        conditions: [
          { type: 'Healthy', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
        lastAppliedRevision: 'main@1',
        ...status,
      },
    }) as unknown as Kustomization;
  const waits = (
    dependsOn: object[] | undefined,
    others: Record<string, Kustomization>,
    isReadyBy: () => boolean = () => expect.fail('not asked'),
  ) => unreadyDependency(make('a', { dependsOn }), artifact, (key) => others[key], isReadyBy);

  test('nothing, or what is ready', () => {
    expect(waits(undefined, {})).toBeUndefined();
    expect(waits([{ name: 'b' }], { 'n/b': make('b') })).toBeUndefined();
    expect(waits([{ name: 'b', namespace: 'm' }], { 'm/b': make('b') })).toBeUndefined();
    expect(waits([{ name: 'b', namespace: '' }], { 'n/b': make('b') })).toBeUndefined();
  });

  test.each([
    ['is not there', undefined, `not found: kustomizations.kustomize.toolkit.fluxcd.io "b" not`],
    ['has no status', make('b', {}, { conditions: undefined }), 'is not ready'],
    [
      'is not ready',
      make('b', {}, { conditions: [{ type: 'Ready', status: 'False' }] }),
      'is not ready',
    ],
    ['was changed since', make('b', {}, { observedGeneration: 1 }), 'is not ready'],
    [
      'has another revision of the same source',
      make('b', {}, { lastAppliedRevision: 'main@0' }),
      'revision is not up to date',
    ],
  ])('one that %s', (_name, other, message) => {
    const others = other === undefined ? {} : { 'n/b': other };
    expect(waits([{ name: 'b' }], others)).toContain(`dependency 'n/b' ${message}`);
    const both = { ...others, 'n/c': make('c') };
    expect(waits([{ name: 'c' }, { name: 'b' }], both)).toContain(`dependency 'n/b' ${message}`);
  });

  test.each([
    [{ kind: 'OCIRepository', name: 'fleet' }, undefined],
    [{ kind: 'GitRepository', name: 'other' }, undefined],
    [{ kind: 'GitRepository', name: 'fleet', namespace: 'm' }, undefined],
    [{ kind: 'GitRepository', name: 'fleet', namespace: 'n' }, 'not up to date'],
  ])('the revision counts for one source only: %j', (sourceRef, message) => {
    const other = make('b', { sourceRef }, { lastAppliedRevision: 'main@0' });
    const found = waits([{ name: 'b' }], { 'n/b': other });
    if (message === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(message);
  });

  test('an expression has the last word', () => {
    const others = { 'n/b': make('b', {}, { conditions: [] }) };
    const by = (isReadyBy: () => boolean) =>
      waits([{ name: 'b', readyExpr: 'x' }], others, isReadyBy);
    expect(by(() => true)).toBeUndefined();
    expect(by(() => false)).toBe("dependency 'n/b' is not ready according to readyExpr eval");
    expect(
      by(() => {
        throw new Error('no such field');
      }),
    ).toBe('no such field');
    expect(waits([{ name: 'b', readyExpr: '' }], others)).toContain('is not ready');
  });
});

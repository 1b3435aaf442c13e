import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchSchemaOf } from './open-api.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { createThreeWayMergePatch } from './three-way-merge-patch.ts';

const deployment = patchSchemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' });

const withContainers = (containers: unknown[]) => ({
  spec: { template: { spec: { containers } } },
});

describe('createThreeWayMergePatch', () => {
  test.each([
    [
      'nothing changed',
      { spec: { replicas: 2 } },
      { spec: { replicas: 2 } },
      { spec: { replicas: 2, paused: true } },
      {},
    ],
    [
      'a live field that drifted is set back',
      { spec: { replicas: 2 } },
      { spec: { replicas: 2 } },
      { spec: { replicas: 9 } },
      { spec: { replicas: 2 } },
    ],
    [
      'what the last one said is taken away',
      { spec: { replicas: 2, paused: true } },
      { spec: { replicas: 2 } },
      { spec: { replicas: 2, paused: true } },
      { spec: { paused: null } },
    ],
    [
      'one container of two',
      withContainers([
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ]),
      withContainers([
        { name: 'a', image: '2' },
        { name: 'b', image: '1' },
      ]),
      withContainers([
        { name: 'a', image: '1', tty: true },
        { name: 'b', image: '1' },
      ]),
      {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
              containers: [{ name: 'a', image: '2' }],
            },
          },
        },
      },
    ],
    [
      'a container that is no longer there',
      withContainers([{ name: 'a' }, { name: 'b' }]),
      withContainers([{ name: 'a' }]),
      withContainers([{ name: 'a' }, { name: 'b' }, { name: 'injected' }]),
      {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'a' }],
              containers: [{ $patch: 'delete', name: 'b' }],
            },
          },
        },
      },
    ],
    [
      'a strategy keeps only its own keys',
      { spec: { strategy: { type: 'RollingUpdate' } } },
      { spec: { strategy: { type: 'Recreate' } } },
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    ],
    [
      'a configuration that has nothing to say of a strategy that others made',
      {},
      { spec: { strategy: {} } },
      { spec: { strategy: { type: 'Recreate' } } },
      {},
    ],
    [
      'a container in another place',
      withContainers([{ name: 'a' }, { name: 'b' }]),
      withContainers([{ name: 'b' }, { name: 'a' }]),
      withContainers([{ name: 'a' }, { name: 'b' }]),
      {
        spec: {
          template: { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
        },
      },
    ],
    [
      'all containers gone, one at least injected',
      withContainers([{ name: 'a' }]),
      withContainers([]),
      withContainers([{ name: 'a' }, { name: 'injected' }]),
      withContainers([{ $patch: 'delete', name: 'a' }]),
    ],
    [
      'values of a list, one more and one less',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['c', 'a'] } },
      { metadata: { finalizers: ['a', 'b', 'other'] } },
      {
        metadata: {
          finalizers: ['c'],
          '$deleteFromPrimitiveList/finalizers': ['b'],
          '$setElementOrder/finalizers': ['c', 'a'],
        },
      },
    ],
    [
      'values of a list that nobody has yet',
      {},
      { metadata: { finalizers: ['a'] } },
      { metadata: {} },
      { metadata: { finalizers: ['a'] } },
    ],
    [
      'values of a list as they are',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['a'] } },
      {},
    ],
    [
      'a map whose strategy is to be replaced whole',
      {},
      { spec: { selector: { matchLabels: { a: '2' } } } },
      { spec: { selector: { matchLabels: { a: '1', b: '1' } } } },
      { spec: { selector: { matchLabels: { a: '2' } } } },
    ],
  ])('%s', (_, original, modified, live, expected) => {
    expect(createThreeWayMergePatch(original, modified, live, deployment)).toEqual(expected);
  });

  const container = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    image: fc.constantFrom('1', '2'),
    tty: fc.option(fc.boolean(), { nil: undefined }),
  });
  const containers = fc.uniqueArray(container, { selector: ({ name }) => name, maxLength: 4 });
  const body = fc.record({
    spec: fc.record({
      replicas: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
      template: fc.record({ spec: fc.record({ containers }) }),
    }),
  });
  const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

  test('applied to the live object, it has all that the configuration says, and a second is empty', () => {
    fc.assert(
      fc.property(body, body, body, (first, second, third) => {
        const [original, modified, live] = [plain(first), plain(second), plain(third)];
        const patch = createThreeWayMergePatch(original, modified, live, deployment);
        const after = applyStrategicMergePatch(live, patch, deployment) as typeof modified;
        expect(after.spec).toMatchObject(
          modified.spec.replicas === undefined ? {} : { replicas: modified.spec.replicas },
        );
        const found = new Map(after.spec.template.spec.containers.map((each) => [each.name, each]));
        for (const wanted of modified.spec.template.spec.containers) {
          expect(found.get(wanted.name)).toMatchObject(wanted);
        }
        const again = createThreeWayMergePatch(modified, modified, after, deployment);
        const strangers = [...found.keys()].filter(
          (name) => !modified.spec.template.spec.containers.some((each) => each.name === name),
        );
        // With items of others beside its own, the order alone is said again, as kubectl does.
        if (strangers.length === 0) expect(again).toEqual({});
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchSchemaOf } from './open-api.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const deployment = patchSchemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' });
const pod = patchSchemaOf({ group: '', version: 'v1', kind: 'Pod' });

function patchPod(spec: unknown, patch: unknown): unknown {
  const result = applyStrategicMergePatch({ spec }, { spec: patch }, pod);
  return (result as { spec: unknown }).spec;
}

describe('applyStrategicMergePatch', () => {
  it('merges lists by their key and replaces the others', () => {
    const result = patchPod(
      {
        containers: [{ name: 'a', image: 'a:1', args: ['x', 'y'] }, { name: 'b' }],
        tolerations: [{ key: 'k' }],
      },
      { containers: [{ name: 'a', image: 'a:2', args: ['z'] }], tolerations: [{ key: 'l' }] },
    );
    expect(result).toEqual({
      containers: [{ name: 'a', image: 'a:2', args: ['z'] }, { name: 'b' }],
      tolerations: [{ key: 'l' }],
    });
  });

  it('puts new items before those that only the server has', () => {
    expect(patchPod({ containers: [{ name: 'a' }] }, { containers: [{ name: 'b' }] })).toEqual({
      containers: [{ name: 'b' }, { name: 'a' }],
    });
  });

  it('deletes with null and with $patch', () => {
    expect(
      patchPod(
        { hostname: 'h', containers: [{ name: 'a' }, { name: 'b' }], securityContext: { a: 1 } },
        {
          hostname: null,
          containers: [{ name: 'a', $patch: 'delete' }],
          securityContext: { $patch: 'delete' },
        },
      ),
    ).toEqual({ containers: [{ name: 'b' }], securityContext: {} });
  });

  it('replaces a map and a list with $patch: replace', () => {
    expect(
      patchPod(
        { containers: [{ name: 'a' }], securityContext: { runAsUser: 1 } },
        {
          containers: [{ $patch: 'replace' }, { name: 'z' }],
          securityContext: { $patch: 'replace', fsGroup: 2 },
        },
      ),
    ).toEqual({ containers: [{ name: 'z' }], securityContext: { fsGroup: 2 } });
  });

  it('keeps only what $retainKeys names', () => {
    const original = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    const patch = { strategy: { $retainKeys: ['type'], type: 'Recreate' } };
    expect(applyStrategicMergePatch({ spec: original }, { spec: patch }, deployment)).toEqual({
      spec: { strategy: { type: 'Recreate' } },
    });
    const wrong = { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: {} } } };
    expect(() => applyStrategicMergePatch({ spec: original }, wrong, deployment)).toThrow(
      /does not name "rollingUpdate"/,
    );
  });

  it('orders by $setElementOrder', () => {
    expect(
      patchPod(
        { containers: [{ name: 'a' }, { name: 'b' }, { name: 'server' }] },
        {
          '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
          containers: [{ name: 'c', image: 'i' }],
        },
      ),
    ).toEqual({
      containers: [{ name: 'c', image: 'i' }, { name: 'b' }, { name: 'a' }, { name: 'server' }],
    });
  });

  it('merges and deletes scalars of a set', () => {
    const original = { metadata: { finalizers: ['a', 'b'] } };
    expect(
      applyStrategicMergePatch(original, { metadata: { finalizers: ['c', 'a'] } }, pod),
    ).toEqual({ metadata: { finalizers: ['c', 'a', 'b'] } });
    expect(
      applyStrategicMergePatch(
        original,
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
        pod,
      ),
    ).toEqual({ metadata: { finalizers: ['b'] } });
  });

  it('leaves directives and nulls out of new values', () => {
    const patch = { affinity: { a: null, b: { $patch: 'replace', c: 1 } } };
    expect(patchPod({}, patch)).toEqual({ affinity: { b: { c: 1 } } });
  });

  it('does not change its arguments and does not pollute prototypes', () => {
    const original = { spec: { containers: [{ name: 'a' }] } };
    const patch = JSON.parse('{"spec":{"__proto__":{"polluted":1},"containers":[{"name":"a"}]}}');
    const before = JSON.stringify([original, patch]);
    const result = applyStrategicMergePatch(original, patch, pod) as { spec: object };
    expect(JSON.stringify([original, patch])).toBe(before);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.keys(result.spec)).toContain('__proto__');
  });

  it('keeps every item once, and a second application changes nothing', () => {
    const container = fc.record(
      { name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), image: fc.constantFrom('x', 'y') },
      { requiredKeys: ['name'] },
    );
    const containers = fc.uniqueArray(container, { selector: ({ name }) => name });
    fc.assert(
      fc.property(containers, containers, (before, change) => {
        const once = patchPod({ containers: before }, { containers: change }) as {
          containers: { name: string; image?: string }[];
        };
        const names = once.containers.map(({ name }) => name);
        const expected = new Set([...before, ...change].map(({ name }) => name));
        expect(names.length).toBe(expected.size);
        expect(new Set(names)).toEqual(expected);
        for (const { name, image } of change) {
          if (image === undefined) continue;
          expect(once.containers.find((one) => one.name === name)?.image).toBe(image);
        }
        const ofChange = names.filter((name) => change.some((one) => one.name === name));
        expect(ofChange).toEqual(change.map(({ name }) => name));
        expect(patchPod(once, { containers: change })).toEqual(once);
      }),
    );
  });

  it.each([
    [{ containers: [{ image: 'x' }] }, /no merge key/],
    [{ containers: [{ $patch: 'delete' }] }, /to delete has no "name"/],
    [{ $patch: 'odd' }, /unknown \$patch directive/],
    [{ '$setElementOrder/containers': 'a' }, /must be a list/],
  ])('refuses %j', (patch, message) => {
    expect(() => patchPod({ containers: [{ name: 'a' }] }, patch)).toThrow(message);
  });

  // Each compared every item with every other.
  it.each([
    [
      'scalars that are merged',
      (items: string[]) => [{ finalizers: items }, { finalizers: items.toReversed() }],
    ],
    [
      'scalars that are deleted',
      (items: string[]) => [
        { finalizers: items },
        { '$deleteFromPrimitiveList/finalizers': items },
      ],
    ],
    [
      'objects that are deleted',
      (items: string[]) => [
        { ownerReferences: items.map((uid) => ({ uid })) },
        { ownerReferences: items.map((uid) => ({ uid, $patch: 'delete' })) },
      ],
    ],
    [
      'keys that are retained',
      (items: string[]) => [
        { annotations: {} },
        {
          annotations: { ...Object.fromEntries(items.map((key) => [key, ''])), $retainKeys: items },
        },
      ],
    ],
  ])('thousands of %s take their time once', (_what, make) => {
    const items = Array.from({ length: 30_000 }, (_, at) => `item-${at}`);
    const [before, change] = make(items);
    const { metadata } = applyStrategicMergePatch(
      { metadata: before },
      { metadata: change },
      pod,
    ) as {
      metadata: Record<string, object>;
    };
    const [[, result]] = Object.entries(metadata) as [[string, object]];
    expect([0, items.length]).toContain(Object.keys(result).length);
  });

  it('refuses a patch that nests deeper than the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    expect(() => applyStrategicMergePatch({}, deep, pod)).toThrow(/nested deeper than/);
    expect(() => applyStrategicMergePatch(deep, {}, pod)).toThrow(/nested deeper than/);
  });
});

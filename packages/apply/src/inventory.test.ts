import { describe, expect, test } from 'vitest';
import { inventoryObjects, inventoryOf, mergeInventories, staleEntries } from './inventory.ts';
import { objectIdOf, parseObjectId, printObjectId, subjectOf } from './object-id.ts';

const rbac = 'rbac.authorization.k8s.io';

describe('an id', () => {
  test.each([
    [
      { namespace: 'shop', name: 'web', group: 'apps', kind: 'Deployment' },
      'shop_web_apps_Deployment',
    ],
    [{ namespace: '', name: 'shop', group: '', kind: 'Namespace' }, '_shop__Namespace'],
    [{ namespace: 'a', name: 'b.c', group: 'x.io', kind: 'K' }, 'a_b.c_x.io_K'],
    [
      { namespace: '', name: 'system:node', group: rbac, kind: 'ClusterRole' },
      `_system__node_${rbac}_ClusterRole`,
    ],
    [
      { namespace: 'a', name: 'x:y:z', group: rbac, kind: 'RoleBinding' },
      `a_x__y__z_${rbac}_RoleBinding`,
    ],
  ])('%j is written and read again', (id, text) => {
    expect(printObjectId(id)).toBe(text);
    expect(parseObjectId(text)).toEqual(id);
  });

  test.each(['', 'a', 'a_b', 'a_b_c'])('%j is none', (text) => {
    expect(() => parseObjectId(text)).toThrow(`unable to parse stored object metadata: ${text}`);
  });

  test('keeps a colon where only rules of access may have one', () => {
    const id = { namespace: '', name: 'a:b', group: 'x.io', kind: 'ClusterRole' };
    expect(printObjectId(id)).toBe('_a:b_x.io_ClusterRole');
  });

  test('is read of an object whose name is no text', () => {
    const broken = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: true, namespace: 5 },
    };
    expect(objectIdOf(broken as never)).toEqual({
      namespace: '',
      name: '',
      group: 'apps',
      kind: 'Deployment',
    });
    expect(objectIdOf({ metadata: {} })).toEqual({ namespace: '', name: '', group: '', kind: '' });
  });

  test('is told to people with its namespace, where it has one', () => {
    expect(subjectOf({ kind: 'Pod', namespace: 'a', name: 'b' })).toBe('Pod/a/b');
    expect(subjectOf({ kind: 'Node', namespace: '', name: 'b' })).toBe('Node/b');
  });
});

describe('an inventory', () => {
  const entries = (...ids: string[]) => ({ entries: ids.map((id) => ({ id, v: 'v1' })) });

  test('names an object once, in the version that came last', () => {
    const object = (apiVersion: string) => ({
      apiVersion,
      kind: 'Ingress',
      metadata: { name: 'a' },
    });
    expect(
      inventoryOf([object('networking.k8s.io/v1beta1'), object('networking.k8s.io/v1')]),
    ).toEqual({
      entries: [{ id: '_a_networking.k8s.io_Ingress', v: 'v1' }],
    });
  });

  test('merged with another keeps its own versions and its own order', () => {
    const first = {
      entries: [
        { id: 'b', v: 'v2' },
        { id: 'a', v: 'v1' },
      ],
    };
    const second = {
      entries: [
        { id: 'c', v: 'v1' },
        { id: 'b', v: 'v1' },
      ],
    };
    expect(mergeInventories(first, second).entries.map(({ id, v }) => `${id} ${v}`)).toEqual([
      'b v2',
      'a v1',
      'c v1',
    ]);
  });

  test('leaves behind what the next does not have, whatever its version, each once, in the order of applying', () => {
    const old = entries(
      'a_web_apps_Deployment',
      '_a__Namespace',
      'a_kept__Secret',
      'a_x__ConfigMap',
      'a_x__ConfigMap',
    );
    const wanted = { entries: [{ id: 'a_kept__Secret', v: 'v2' }] };
    expect(
      staleEntries(old, wanted).map(({ kind, name, version }) => `${kind}/${name} ${version}`),
    ).toEqual(['Namespace/a v1', 'ConfigMap/x v1', 'Deployment/web v1']);
  });

  test('knows an object again that was written in two ways', () => {
    const colon = entries(`_a:b_${rbac}_ClusterRole`);
    const escaped = entries(`_a__b_${rbac}_ClusterRole`);
    expect(staleEntries(colon, escaped)).toEqual([]);
    expect(inventoryObjects({ entries: [...colon.entries, ...escaped.entries] })).toHaveLength(1);
  });
});

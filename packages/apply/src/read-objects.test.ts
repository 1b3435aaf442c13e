import { describe, expect, test } from 'vitest';
import { expectedOf } from './expected-objects.ts';
import { isKustomization, readObjects } from './read-objects.ts';

const pod = (name: string) => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"}}`;
const names = (text: string) => readObjects(text).map(({ metadata }) => metadata.name);
const list = (...items: string[]) =>
  `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;

describe('the objects of a manifest', () => {
  test.each([
    ['one', pod('a'), ['a']],
    ['several documents', `${pod('a')}\n---\n${pod('b')}`, ['a', 'b']],
    ['lines of JSON', `${pod('a')}\n\n  ${pod('b')}  \n`, ['a', 'b']],
    ['a list', list(pod('a'), pod('b')), ['a', 'b']],
    ['a list of a kind', list(pod('a')).replace('"List"', '"PodList"'), ['a']],
    ['lists in lists', list(list(pod('a')), pod('b')), ['a', 'b']],
    ['nothing', '', []],
    ['comments', '# none\n', []],
    ['one without a kind', '{"apiVersion":"v1","metadata":{"name":"a"}}', []],
    ['one without a version', '{"kind":"Pod","metadata":{"name":"a"}}', []],
    ['one without a name', '{"apiVersion":"v1","kind":"Pod","metadata":{}}', []],
    ['one with an empty name', pod(''), []],
    ['one without metadata', '{"apiVersion":"v1","kind":"Pod"}', []],
    [
      'configuration of kustomize',
      pod('a').replace('Pod', 'Kustomization').replace('"v1"', '"kustomize.config.k8s.io/v1beta1"'),
      [],
    ],
    ['a kind that only ends so', pod('a').replace('Pod', 'AllowList'), ['a']],
    ['a field twice, of which the last counts', pod('a').replace('}}', ',"name":"b"}}'), ['b']],
  ])('%s', (_name, text, wanted) => {
    expect(names(text)).toEqual(wanted);
  });

  test('what is no object is refused, and lists are not nested without end', () => {
    for (const text of ['text', '[]', `${pod('a')}\n---\n5`])
      expect(() => readObjects(text)).toThrow('a document is not an object');
    const nested = (depth: number) =>
      Array.from({ length: depth }).reduce((inner: string) => list(inner), pod('a'));
    expect(names(nested(9))).toEqual(['a']);
    expect(() => readObjects(nested(10))).toThrow('lists are nested too deeply');
  });

  test('a text that is no YAML is refused by its name', () => {
    expect(() => readObjects('a: [', { name: 'web.yaml' })).toThrow('web.yaml');
    expect(() => readObjects(`${pod('a')}\n{"a" }`)).toThrow();
  });
});

test.each([
  [{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }, true],
  [{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' }, false],
  [{ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Component' }, false],
  [{ apiVersion: 1, kind: 'Kustomization' }, false],
])('%j is configuration of kustomize: %s', (value, isOne) => {
  expect(isKustomization(value)).toBe(isOne);
});

test('what a set brings: namespaces, and kinds of definitions', () => {
  const object = (kind: string, name: string, spec?: unknown) =>
    ({ apiVersion: 'v1', kind, metadata: { name }, spec }) as never;
  const definition = { group: 'acme.test', names: { kind: 'Widget' } };
  const crd = 'CustomResourceDefinition';
  const objects = [
    object('Namespace', 'shop'),
    object('Pod', 'shop'),
    object(crd, 'w', definition),
    object(crd, 'x', { names: 'none' }),
    object(crd, 'y'),
    object('Widget', 'z', definition),
  ];
  expect([...expectedOf(objects)]).toEqual(['Namespace/shop', 'acme.test/Widget']);
});

import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import type { KongPluginResource } from '../objects/kong-resources.ts';
import { ObjectStore } from '../store/object-store.ts';
import { pluginConfig } from './plugin-config.ts';

const store = new ObjectStore();
const secret = (namespace: string, name: string, data: Record<string, string>) =>
  store.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    data: Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    ),
  } as KubeObject);
secret('shop', 's', {
  number: '5',
  text: '"t"',
  list: '[1]',
  none: 'null',
  object: '{"x":1,"y":null}',
  yaml: 'a: 1\nb: null\n',
  bad: '{"a"',
  scalar: 'just text',
});
secret('other', 's', { number: '7' });

const ref = (key: string, name = 's', namespace?: string) => ({
  secretKeyRef: { name, key, ...(namespace && { namespace }) },
});
const patch = (path: string, key: string, name?: string, namespace?: string) => ({
  path,
  valueFrom: ref(key, name, namespace),
});
const failed = (why: string) => ({ error: `could not parse KongPlugin shop/p config: ${why}` });

const rows: readonly [what: string, fields: object, result: object, isCluster?: true][] = [
  ['nothing', {}, { config: {} }],
  ['written out, without nulls', { config: { a: 1, b: null } }, { config: { a: 1 } }],
  [
    'patched at a new place',
    { config: { a: 1 }, configPatches: [patch('/b/c', 'number')] },
    { config: { a: 1, b: { c: 5 } } },
  ],
  [
    'patched in place of another value, which goes last',
    { config: { a: 1, b: 2 }, configPatches: [patch('/a', 'text')] },
    { config: { b: 2, a: 't' } },
  ],
  [
    'patched all over',
    { config: { a: 1 }, configPatches: [patch('', 'object')] },
    { config: { x: 1 } },
  ],
  [
    'replaced by what is no object',
    { config: { a: 1 }, configPatches: [patch('', 'number')] },
    { config: {} },
  ],
  [
    'patched in a list, at its beginning, inside and at its end',
    {
      config: { l: ['a', { x: 1 }] },
      configPatches: [patch('/l/0', 'number'), patch('/l/2/x', 'text'), patch('/l/-', 'list')],
    },
    { config: { l: [5, 'a', { x: 't' }, [1]] } },
  ],
  [
    'patched behind the last of a list',
    { config: { l: ['a'] }, configPatches: [patch('/l/1', 'number')] },
    { config: { l: ['a', 5] } },
  ],
  [
    'patched past the end of a list',
    { config: { l: ['a'] }, configPatches: [patch('/l/2', 'number')] },
    failed('there is no index 2 for /l/2'),
  ],
  [
    'patched before a list',
    { config: { l: [] }, configPatches: [patch('/l/-1', 'number')] },
    failed('there is no index -1 for /l/-1'),
  ],
  [
    'patched at no index',
    { config: { l: [] }, configPatches: [patch('/l/x', 'number')] },
    failed('there is no index x for /l/x'),
  ],
  [
    'patched through a number',
    { config: { l: [1] }, configPatches: [patch('/l/0/x', 'number')] },
    failed('/l/0/x leads through a value that is no object'),
  ],
  [
    'patched through nothing',
    { config: { a: null }, configPatches: [patch('/a/b', 'number')] },
    { config: { a: { b: 5 } } },
  ],
  [
    'patched at signs of the pointer',
    { configPatches: [patch('/a~1b~0c', 'number')] },
    { config: { 'a/b~c': 5 } },
  ],
  ['patched away', { config: { a: 1 }, configPatches: [patch('/a', 'none')] }, { config: {} }],
  ['no pointer', { configPatches: [patch('a', 'number')] }, failed('invalid JSON pointer "a"')],
  [
    'no JSON',
    { configPatches: [patch('/a', 'bad')] },
    failed('the value of the patch is not JSON'),
  ],
  [
    'a Secret that is not there',
    { configPatches: [patch('/a', 'x', 'gone')] },
    failed('Secret shop/gone not found'),
  ],
  [
    'a key that is not there',
    { configPatches: [patch('/a', 'gone')] },
    failed("no key 'gone' in secret 'shop/s'"),
  ],
  [
    'a namespace counts for cluster plugins',
    { configPatches: [patch('/a', 'number', 's', 'other')] },
    { config: { a: 7 } },
    true,
  ],
  [
    'and for no others',
    { configPatches: [patch('/a', 'number', 's', 'other')] },
    { config: { a: 5 } },
  ],
  ['from a Secret', { configFrom: ref('yaml') }, { config: { a: 1 } }],
  [
    'from a Secret in words',
    { configFrom: ref('scalar') },
    {
      error:
        "error parsing config for KongPlugin 'p/shop': key 'scalar' in secret 'shop/s' contains neither valid JSON nor valid YAML)",
    },
  ],
  [
    'from a Secret that is not there',
    { configFrom: ref('x', 'gone') },
    {
      error:
        "error parsing config for KongPlugin 'p/shop': error fetching plugin configuration secret 'shop/gone': Secret shop/gone not found",
    },
  ],
  [
    'from a key that is not there',
    { configFrom: ref('gone', 's', 'other') },
    {
      error: "error parsing config for KongClusterPlugin p: no key 'gone' in secret 'other/s'",
    },
    true,
  ],
  [
    'from both',
    { config: { a: 1 }, configFrom: ref('yaml') },
    { error: "KongPlugin 'shop/p' has both Config and ConfigFrom set" },
  ],
  [
    'from both, in a cluster plugin',
    { config: { a: 1 }, configFrom: ref('yaml') },
    { error: "KongClusterPlugin '/p' has both Config and ConfigFrom set" },
    true,
  ],
];

test.each(rows)('%s', (_what, fields, result, isCluster) => {
  const plugin = {
    kind: isCluster ? 'KongClusterPlugin' : 'KongPlugin',
    metadata: isCluster ? { name: 'p' } : { name: 'p', namespace: 'shop' },
    ...fields,
  } as unknown as KongPluginResource;
  const made = pluginConfig(plugin, store);
  expect(made).toEqual(result);
  if ('config' in made && 'config' in result)
    expect(Object.keys(made.config)).toEqual(Object.keys(result.config as object));
});

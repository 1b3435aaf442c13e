import { describe, expect, it } from 'vitest';
import { addPlugins, readPluginAdditions } from './add-plugins.ts';
import { mergeDocuments } from './merge-documents.ts';
import { namespaceRoutes } from './namespace-routes.ts';
import { patchDocument, readPatches, readPatchValues } from './patch-document.ts';
import { readStateDocument, type StateObject } from './state-document.ts';
import { addTags, listTags, removeTags } from './tags.ts';

function read(text: string): StateObject {
  return readStateDocument(text, 'kong.yaml');
}

const shop = `
services:
- name: shop
  tags: [a, b]
  routes:
  - name: all
    tags: [a]
  plugins: [{name: key-auth, tags: [c]}]
consumers:
- username: ann
  keyauth_credentials: [{key: x}]
_info: {select_tags: [z]}
`;

describe('tags', () => {
  it('are added to every entity once, after those that are there', () => {
    const document = read(shop);
    addTags(document, ['b', 'new', 'new']);
    addTags(document, ['b', 'new']);
    expect(document).toEqual(
      read(`
services:
- name: shop
  tags: [a, b, new]
  routes: [{name: all, tags: [a, b, new]}]
  plugins: [{name: key-auth, tags: [c, b, new]}]
consumers:
- username: ann
  tags: [b, new]
  keyauth_credentials: [{key: x, tags: [b, new]}]
_info: {select_tags: [z]}`),
    );
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['$.services[*]', ['$.services[*]'], ['a', 'b']],
    ['without the leading $', ['services[*].routes[*]'], ['a']],
    ['a filter', ["$..plugins[?@.name == 'key-auth']"], ['c']],
    ['nothing', ['$.upstreams[*]'], []],
    ['everything', [], ['a', 'b', 'c']],
  ])('are listed of %s', (_name, selectors, tags) => {
    expect(listTags(read(shop), selectors)).toEqual(tags);
  });

  it('are removed, with the lists that are empty since', () => {
    const document = read(shop);
    removeTags(document, { tags: ['a'] });
    expect(listTags(document)).toEqual(['b', 'c']);
    expect(JSON.stringify(document)).not.toContain('"tags":[]');
    removeTags(document, { tags: ['c'], keepsOnly: true, keepsEmpty: true });
    expect(listTags(document)).toEqual(['c']);
    expect(JSON.stringify(document)).toContain('"tags":[]');
  });

  it('refuse a selector that is none', () => {
    expect(() => listTags(read(shop), ['$..['])).toThrow(
      "selector '$..[' is not a valid JSONpath expression",
    );
  });
});

describe('addPlugins', () => {
  it('adds once to each owner, and replaces only when told', () => {
    const document = read(shop);
    const plugins = [{ name: 'key-auth', config: { key_names: ['k'] } }];
    addPlugins(document, {
      selectors: ['$.services[*]', '$..routes[*]'],
      plugins,
      overwrite: false,
    });
    expect(document).toMatchObject({
      services: [{ plugins: [{ name: 'key-auth', tags: ['c'] }], routes: [{ plugins }] }],
    });
    addPlugins(document, { selectors: ['$.services[*]'], plugins, overwrite: true });
    expect(document).toMatchObject({ services: [{ plugins }] });
  });

  it('tells plugins at the top apart by their scope', () => {
    const document = read('plugins: [{name: cors, service: a}]');
    const added = [{ name: 'cors', service: 'b' }, { name: 'cors' }];
    addPlugins(document, { selectors: [], plugins: added, overwrite: true });
    expect(document.plugins).toEqual([{ name: 'cors', service: 'a' }, ...added]);
  });

  it('refuses a scope where the place gives one', () => {
    const plugins = [{ name: 'cors', service: 'b' }];
    expect(() =>
      addPlugins(read(shop), { selectors: ['$.services[*]'], plugins, overwrite: false }),
    ).toThrow('plugin 0 has foreign keys');
  });

  it('does not share what it adds', () => {
    const document = read('services: [{name: a}, {name: b}]');
    addPlugins(document, {
      selectors: ['$.services[*]'],
      plugins: [{ name: 'cors' }],
      overwrite: false,
    });
    addTags(document, ['x'], ['$.services[0].plugins[*]']);
    expect(listTags(document, ['$.services[1].plugins[*]'])).toEqual([]);
  });

  it.each<[string, string]>([
    ['add-plugins: 1', 'p.yaml.add-plugins is not an array'],
    ['add-plugins: [{overwrite: 1}]', 'p.yaml: add-plugins[0].overwrite is not a boolean'],
    ['add-plugins: [{selectors: [1]}]', 'p.yaml: add-plugins[0].selectors is not a string-array'],
    ['add-plugins: [{plugins: {}}]', 'p.yaml: add-plugins[0].plugins is not an array'],
  ])('refuses %s', (text, message) => {
    expect(() => readPluginAdditions(read(text), 'p.yaml')).toThrow(message);
  });
});

describe('patchDocument', () => {
  it.each<[string, readonly string[], readonly string[], string]>([
    ['sets', ['$..services[*]'], ['read_timeout:10'], 'services: [{a: 1, read_timeout: 10}]'],
    ['sets texts in quotes', ['$.services[0]'], ['a:"x:y"'], 'services: [{a: "x:y"}]'],
    ['removes', ['$.services[*]'], ['a:', 'b: '], 'services: [{}]'],
    ['adds to lists', ['$.services'], ['[{"b": 2}]'], 'services: [{a: 1}, {b: 2}]'],
    ['passes over the rest', ['$.services[*].a'], ['x:1'], 'services: [{a: 1}]'],
  ])('%s', (_name, selectors, values, expected) => {
    const document = read('services: [{a: 1}]');
    patchDocument(document, readPatchValues(values, selectors));
    expect(document).toEqual(read(expected));
  });

  it.each<[string, readonly string[]]>([
    ["expected '--value' entry to have format 'key:json-string', got: 'a'", ['a']],
    ['did you forget to wrap a json-string-value in quotes?', ['a:b']],
    ["trying to change and remove 'a' at the same time", ['a:1', 'a:']],
    ['either fields or lists', ['a:1', '[1]']],
  ])('refuses: %s', (message, values) => {
    expect(() => readPatchValues(values, ['$'])).toThrow(message);
  });

  it('reads files of patches, whose selector is the whole file by default', () => {
    const document = read('a: 1\nb: 2');
    const patches = read(
      'patches:\n- values: {c: 3}\n  remove: [a]\n- selectors: [$.b]\n  values: {x: 1}\n',
    );
    for (const patch of readPatches(patches, 'p.yaml')) patchDocument(document, patch);
    expect(document).toEqual({ b: 2, c: 3 });
    expect(() => readPatches(read('patches: [{values: 1}]'), 'p.yaml')).toThrow(
      'p.yaml: patches[0].values is neither an object nor an array',
    );
  });

  it('cannot reach the prototype of anything', () => {
    const document = read('services: [{a: 1}]');
    patchDocument(document, readPatchValues(['__proto__:{"polluted":true}'], ['$.services[*]']));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('mergeDocuments', () => {
  const merge = (...texts: string[]): StateObject =>
    mergeDocuments(texts.map((text, index) => ({ file: `${index}.yaml`, document: read(text) })));

  it('joins lists, lets the last one win, and takes the newest minor version', () => {
    expect(
      merge(
        '_format_version: "3.0"\nservices: [1]\nx: {a: 1}',
        '_format_version: "3.1"\nservices: [2]\nx: {b: 2}',
      ),
    ).toEqual({ _format_version: '3.1', services: [1, 2], x: { b: 2 } });
  });

  it.each<[string, string, string]>([
    ['_format_version: "1.1"', '_format_version: "3.0"', 'failed to merge 1.yaml: major versions'],
    ['_transform: false', 'services: []', 'failed to merge 1.yaml: files with'],
    ['a: 1', '_format_version: 3', 'failed to merge 1.yaml: expected'],
  ])('refuses %s with %s', (one, two, message) => {
    expect(() => merge(one, two)).toThrow(message);
  });
});

describe('namespaceRoutes', () => {
  const prefixed = (text: string, prefix = '/team'): StateObject => {
    const document = read(text);
    namespaceRoutes(document, { selectors: [], pathPrefix: prefix });
    return document;
  };
  const stripper = {
    name: 'pre-function',
    config: { access: [expect.stringContaining("ns='/team'")] },
  };

  it('puts the prefix before paths of both kinds', () => {
    expect(prefixed('routes: [{paths: [/list, "~/a$"]}]', '/te.am/')).toEqual({
      routes: [{ paths: ['/te.am/list', '~/te\\.am/a$'] }],
    });
  });

  it('gives a route without paths the prefix', () => {
    expect(prefixed('routes: [{hosts: [a]}]')).toEqual({
      routes: [{ hosts: ['a'], paths: ['/team/'], strip_path: true }],
    });
  });

  it('takes the prefix away where the path is kept: once in the service, else in the route', () => {
    expect(
      prefixed(
        'services: [{name: s, routes: [{paths: [/a], strip_path: false}, {paths: [/b], strip_path: false}]}]',
      ),
    ).toMatchObject({ services: [{ plugins: [stripper] }] });
    expect(
      prefixed('services: [{name: s, routes: [{paths: [/a], strip_path: false}, {paths: [/b]}]}]'),
    ).toMatchObject({ services: [{ routes: [{ plugins: [stripper] }, { paths: ['/team/b'] }] }] });
    expect(
      prefixed('services: [{name: s}]\nroutes: [{service: s, paths: [/a], strip_path: false}]'),
    ).toMatchObject({
      services: [{ plugins: [stripper] }],
    });
  });

  it("takes it from the service's own path where it stands there", () => {
    expect(
      prefixed('services: [{path: /team/v1, routes: [{paths: [/a], strip_path: false}]}]'),
    ).toEqual({
      services: [{ path: '/v1', routes: [{ paths: ['/team/a'], strip_path: false }] }],
    });
  });

  it.each(['', '/', 'team', '/a//b', "/a' .. os.exit() .. '", '/a\\'])(
    'refuses the prefix %j',
    (prefix) => {
      expect(() => prefixed('routes: []', prefix)).toThrow('invalid path-prefix');
    },
  );

  it('adds hosts to chosen routes, and takes others away when told', () => {
    const document = read('routes: [{name: a, hosts: [x]}, {name: b}]');
    namespaceRoutes(document, { selectors: ["$.routes[?@.name == 'a']"], hosts: ['w', 'x'] });
    expect(document).toEqual(read('routes: [{name: a, hosts: [x, w]}, {name: b}]'));
    namespaceRoutes(document, { selectors: [], hosts: ['z'], clearHosts: true });
    expect(document).toEqual(read('routes: [{name: a, hosts: [z]}, {name: b, hosts: [z]}]'));
  });

  it.each<[readonly string[], string]>([
    [['$.services[*]'], 'the selectors returned non-route entities; 1'],
    [['$.routes[?@.name == 1]'], 'no routes matched the selectors'],
  ])('refuses the selectors %j', (selectors, message) => {
    const document = read('services: [{}]\nroutes: [{}]');
    expect(() => namespaceRoutes(document, { selectors, hosts: ['a'] })).toThrow(message);
  });
});

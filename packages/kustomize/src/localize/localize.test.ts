import { describe, expect, it } from 'vitest';
import { memoryFileSystem } from '../file-system/memory.ts';
import { localize } from './localize.ts';
import { localizedFilePath, localizedRootPath, repositoryAddress } from './localized-paths.ts';

const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

const tree = {
  't/base/kustomization.yaml': '# gone\nresources:\n- cm.yaml\nnamePrefix: a-\n',
  't/base/cm.yaml': map,
  't/over/kustomization.yaml': `kind: Kustomization
resources: [../base, ./sub/../cm.yaml]
configMapGenerator:
- name: g
  files: [k=f.txt, f.txt]
  literals: [x=y]
transformers:
- |-
  apiVersion: builtin
  kind: PatchTransformer
  metadata: {name: p}
  path: p.yaml
  target: {kind: ConfigMap}
helmCharts: [{name: web, valuesFile: v.yaml}]
`,
  't/over/sub/x': '',
  't/over/cm.yaml': map,
  't/over/f.txt': 'hi',
  't/over/p.yaml': map,
  't/over/v.yaml': 'a: b\n',
  't/over/charts/web/Chart.yaml': 'name: web\n',
};

function textsOf(writes: ReadonlyMap<string, Uint8Array | string>): Record<string, string> {
  return Object.fromEntries(
    [...writes].map(([path, content]) => [
      path,
      typeof content === 'string' ? content : Buffer.from(content).toString(),
    ]),
  );
}

const run = (target: string, more: { scope?: string; destination?: string } = {}) =>
  localize({ fileSystem: memoryFileSystem(tree), directory: '/', target, ...more });

describe('localize', () => {
  it('copies what is referred to, with the fields in the order of their names', async () => {
    const { destination, writes } = await run('t/over', { scope: 't' });
    expect(destination).toBe('/localized-over');
    const texts = textsOf(writes);
    expect(Object.keys(texts).sort()).toEqual([
      '/localized-over/base/cm.yaml',
      '/localized-over/base/kustomization.yaml',
      '/localized-over/over/charts/web/Chart.yaml',
      '/localized-over/over/cm.yaml',
      '/localized-over/over/f.txt',
      '/localized-over/over/kustomization.yaml',
      '/localized-over/over/p.yaml',
      '/localized-over/over/v.yaml',
    ]);
    expect(texts['/localized-over/base/kustomization.yaml']).toBe(
      'namePrefix: a-\nresources:\n- cm.yaml\n',
    );
    expect(texts['/localized-over/over/kustomization.yaml']).toBe(`configMapGenerator:
- files:
  - k=f.txt
  - f.txt
  literals:
  - x=y
  name: g
helmCharts:
- name: web
  valuesFile: v.yaml
kind: Kustomization
resources:
- ../base
- cm.yaml
transformers:
- |
  apiVersion: builtin
  kind: PatchTransformer
  metadata:
    name: p
  path: p.yaml
  target:
    kind: ConfigMap
`);
  });

  it.each([
    [
      't/over',
      {},
      'unable to localize target "t/over": unable to localize resources entry: could not localize path "../base" as file: invalid file reference: \'/t/base\' must resolve to a file; could not localize path "../base" as directory: root "/t/base" outside localize scope "/t/over"',
    ],
    [
      'nope',
      {},
      'unable to establish localize target "nope": must build at directory: not a valid directory: evalsymlink failure on \'nope\' : lstat /nope: no such file or directory',
    ],
    [
      't/base',
      { destination: 't' },
      'invalid localize destination "t": localize destination "t" already exists',
    ],
    [
      't/base',
      { destination: 'x/y' },
      'invalid localize destination "x/y": unable to create localize destination directory: mkdir x/y: no such file or directory',
    ],
    [
      't/base',
      { scope: 't/over' },
      'invalid localize scope "t/over": localize scope "t/over" does not contain target "t/base" at "/t/base"',
    ],
    [
      'https://git.example/a/b',
      {},
      'localize remote root "https://git.example/a/b" missing ref query string parameter',
    ],
  ])('%s %j is refused', async (target, more, message) => {
    await expect(run(target, more)).rejects.toMatchObject({ message });
  });

  it('fetches what is remote, and puts it beside the kustomization', async () => {
    const remote = 'https://git.example/org/repo//deploy?ref=v1/2';
    const asked: string[] = [];
    const { writes } = await localize({
      fileSystem: memoryFileSystem({
        'kustomization.yaml': `resources: ['${remote}', 'https://raw.example/x/cm.yaml']\n`,
      }),
      directory: '/',
      target: '.',
      fetch: async (url) => {
        asked.push(url);
        if (url !== remote)
          return { fileSystem: memoryFileSystem({ 'f.yaml': map }), path: '/f.yaml' };
        const files = {
          'deploy/kustomization.yaml': 'resources: [cm.yaml]\n',
          'deploy/cm.yaml': map,
        };
        return { fileSystem: memoryFileSystem(files), path: '/deploy' };
      },
    });
    expect(asked).toEqual([remote, 'https://raw.example/x/cm.yaml']);
    const root = 'localized-files/git.example/org/repo/v1/2/deploy';
    const texts = textsOf(writes);
    expect(texts['/localized/kustomization.yaml']).toBe(
      `resources:\n- ${root}\n- localized-files/raw.example/x/cm.yaml\n`,
    );
    expect(texts[`/localized/${root}/cm.yaml`]).toBe(map);
  });

  it.each([
    ['https://user@git.example:8443/a/b.git//c/d?ref=v1', 'localized-files/git.example/a/b/v1/c/d'],
    ['git@git.example:a/b//c?ref=v1', 'localized-files/git.example/a/b/v1/c'],
    ['github.com/a/b/c?ref=v1', 'localized-files/github.com/a/b/v1/c'],
    ['file:///srv/repo//c?ref=v1', 'localized-files/file-schemed/srv/repo/v1/c'],
  ])('%s has its place', (url, place) => {
    const address = repositoryAddress(url)!;
    expect(localizedRootPath(address, address.directory)).toBe(place);
  });

  it('files have the place of their address, without a way out', () => {
    expect(localizedFilePath('https://u:p@raw.example:1/a/../../b.yaml?x=y')).toBe(
      'localized-files/raw.example/b.yaml',
    );
  });
});

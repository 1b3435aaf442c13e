import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { build, buildSync } from './build.ts';
import type { FileSystem } from './file-system/file-system.ts';
import { type MemoryFileSystem, memoryFileSystem } from './file-system/memory.ts';
import { randomKustomization } from './testing/random-kustomization.ts';

const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

function problemOf(files: Record<string, string>, directory = '/'): string {
  return buildSync(memoryFileSystem(files), directory).problems[0]?.message ?? '';
}

/** Notes every path that is read. */
function watched(files: MemoryFileSystem): { files: FileSystem; read: string[] } {
  const read: string[] = [];
  return {
    read,
    files: {
      resolve: (path) => files.resolve(path),
      size: (path) => files.size(path),
      describe: (path) => files.describe(path),
      read(path) {
        read.push(path);
        return files.read(path);
      },
    },
  };
}

describe('a build', () => {
  it('gives the same every time, and leaves its input alone', () => {
    fc.assert(
      fc.property(fc.nat(100_000), (seed) => {
        const files = randomKustomization(seed);
        const before = JSON.stringify(files);
        const fileSystem = memoryFileSystem(files);
        const [first, second] = [1, 2].map(() => buildSync(fileSystem, '/top'));
        expect(second!.toYaml()).toBe(first!.toYaml());
        expect(second!.problems).toEqual(first!.problems);
        expect(JSON.stringify(files)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('builds its own output to the same again', () => {
    fc.assert(
      fc.property(fc.nat(100_000), (seed) => {
        const result = buildSync(memoryFileSystem(randomKustomization(seed)), '/top');
        if (!result.isOk || result.resources.length === 0) return;
        const again = buildSync(
          memoryFileSystem({
            'kustomization.yaml': 'resources: [all.yaml]',
            'all.yaml': result.toYaml(),
          }),
          '/',
        );
        expect(again.toYaml()).toBe(result.toYaml());
      }),
      { numRuns: 60 },
    );
  });

  it('reads only files of the kustomizations that it enters', () => {
    const { files, read } = watched(
      memoryFileSystem({
        'app/kustomization.yaml':
          'resources: [../base]\nconfigMapGenerator: [{name: x, files: [../secret]}]',
        'base/kustomization.yaml': 'resources: [a.yaml]',
        'base/a.yaml': configMap,
        secret: 'hidden',
      }),
    );
    expect(buildSync(files, '/app').problems[0]?.code).toBe('WG_KUSTOMIZE_LOAD_RESTRICTION');
    expect(read).not.toContain('/secret');
  });
});

describe('hostile input', () => {
  it('of bases in a circle is refused', () => {
    const files = {
      'a/kustomization.yaml': 'resources: [../b]',
      'b/kustomization.yaml': 'resources: [../a]',
    };
    expect(problemOf(files, '/a')).toContain('cycle detected');
  });

  it('of bases that double at each level is bounded', () => {
    const files: Record<string, string> = { 'd0/kustomization.yaml': 'resources: [a.yaml]' };
    files['d0/a.yaml'] = configMap;
    for (let index = 1; index < 30; index += 1) {
      const below = `../d${index - 1}`;
      files[`d${index}/kustomization.yaml`] =
        `components: []\nresources: []\ntransformers: [${below}, ${below}]`;
    }
    const started = process.cpuUsage();
    expect(problemOf(files, '/d29')).not.toBe('');
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
  });

  it('of huge files is refused before they are read', () => {
    const files = memoryFileSystem({ 'kustomization.yaml': 'resources: [a.yaml]' });
    files.addFile('a.yaml', Buffer.alloc(40 * 1024 * 1024, 0x20));
    const { files: noted, read } = watched(files);
    expect(buildSync(noted, '/').problems[0]).toMatchObject({ code: 'WG_KUSTOMIZE_LIMIT' });
    expect(read).not.toContain('/a.yaml');
  });

  it('of too many resources is refused', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      configMap.replace('name: a', `name: a${index}`),
    );
    const result = buildSync(
      memoryFileSystem({
        'kustomization.yaml': 'resources: [a.yaml]',
        'a.yaml': many.join('---\n'),
      }),
      '/',
      { limits: { maxResources: 10 } },
    );
    expect(result.problems[0]?.code).toBe('WG_KUSTOMIZE_LIMIT');
  });

  it('of expressions in targets costs no more than others', () => {
    const name = 'a'.repeat(200);
    const started = process.cpuUsage();
    const result = buildSync(
      memoryFileSystem({
        'kustomization.yaml': `resources: [a.yaml]\npatches:\n- target: {name: '(a+)+b'}\n  patch: '[{"op":"remove","path":"/x"}]'\n`,
        'a.yaml': configMap.replace('name: a', `name: ${name}`),
      }),
      '/',
    );
    expect(result.problems).toEqual([]);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it('of keys named like prototypes makes fields', () => {
    const result = buildSync(
      memoryFileSystem({
        'kustomization.yaml': 'resources: [a.yaml]\ncommonLabels: {constructor: x}',
        'a.yaml': `${configMap}data: {__proto__: "1", toString: "2"}\n`,
      }),
      '/',
    );
    expect(result.toYaml()).toContain('  __proto__: "1"\n  toString: "2"\n');
    const { data } = result.resources[0]!.object as unknown as { data: object };
    expect(Object.keys(data)).toEqual(['__proto__', 'toString']);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  it('never shows what a Secret holds', () => {
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: x}\nstringData: {k: hunter2}\n';
    const files = {
      'kustomization.yaml': 'resources: [a.yaml, b.yaml]\nnamespace: one',
      'a.yaml': secret,
      'b.yaml': secret.replace('namespace: x', 'namespace: y'),
    };
    expect(problemOf(files)).toContain('ID conflict');
    expect(problemOf(files)).not.toContain('hunter2');
  });
});

describe('what is outside', () => {
  const top = { 'kustomization.yaml': 'resources:\n- https://github.com/org/repo//base?ref=v1\n' };

  it('is refused by default', () => {
    expect(buildSync(memoryFileSystem(top), '/').problems[0]).toMatchObject({
      code: 'WG_KUSTOMIZE_REMOTE_REFUSED',
    });
  });

  it('is fetched once where the caller can', async () => {
    const asked: string[] = [];
    const result = await build(memoryFileSystem(top), '/', {
      async fetch(url) {
        asked.push(url);
        return {
          fileSystem: memoryFileSystem({
            'base/kustomization.yaml': 'resources: [a.yaml]',
            'base/a.yaml': configMap,
          }),
          path: '/base',
        };
      },
    });
    expect(result.problems).toEqual([]);
    expect(result.resources).toHaveLength(1);
    expect(asked).toEqual(['https://github.com/org/repo//base?ref=v1']);
  });

  it('of charts is rendered by the caller, or refused', async () => {
    const files = memoryFileSystem({
      'kustomization.yaml': 'helmCharts: [{name: web, releaseName: r}]',
      'charts/web/values.yaml': '{}\n',
    });
    expect(buildSync(files, '/').problems[0]?.message).toContain('must specify --enable-helm');
    const result = await build(files, '/', {
      helm: async ({ chart }) => configMap.replace('name: a', `name: ${chart.name}-chart`),
    });
    expect(result.resources[0]?.name).toBe('web-chart');
  });
});

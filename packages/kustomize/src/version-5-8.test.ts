import { describe, expect, it } from 'vitest';
import { build, buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';
import type { HelmRequest } from './plugins/plugin-context.ts';

type Files = Record<string, string | Uint8Array>;

/** What is printed, or the message. */
function built(files: Files): string {
  const result = buildSync(memoryFileSystem(files), '/');
  return result.problems.find(({ severity }) => severity === 'error')?.message ?? result.toYaml();
}

const config = (name: string, rest = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${rest}`;

const add = (target: string, field: string): string =>
  `- target: {${target}}\n  patch: '[{"op": "add", "path": "/${field}", "value": "yes"}]'\n`;

const bytes = (before: string, octets: number[], after: string): Uint8Array =>
  Buffer.concat([Buffer.from(before), Buffer.from(octets), Buffer.from(after)]);

// Found by comparing with version 5.8 of the real program; the texts are its own.
describe('as kustomize 5.8 does, a build', () => {
  it('finds targets by their kind of now, and by their first or last name', () => {
    const base = 'resources: [a.yaml]\nnamePrefix: b-\n';
    const middle = 'resources: [../base]\nnamePrefix: m-\n';
    const top = `resources: [mid]\npatches:\n${add('name: web', 'first')}${add('name: b-web', 'between')}${add('name: m-b-web', 'last')}`;
    const text = built({
      'kustomization.yaml': top,
      'mid/kustomization.yaml': middle,
      'base/kustomization.yaml': base,
      'base/a.yaml': config('web'),
    });
    expect(text).toBe(
      'apiVersion: v1\nfirst: "yes"\nkind: ConfigMap\nlast: "yes"\nmetadata:\n  name: m-b-web\n',
    );
    const changed = built({
      'kustomization.yaml': `resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  options: {allowKindChange: true}\n  patch: '{apiVersion: v1, kind: Thing, metadata: {name: web}}'\n${add('kind: ConfigMap', 'former')}${add('kind: Thing', 'present')}`,
      'a.yaml': config('web'),
    });
    expect(changed).toContain('present');
    expect(changed).not.toContain('former');
  });

  it.each<[string, Files, string]>([
    [
      'a resource',
      {
        'kustomization.yaml': 'resources: [a.yaml]\n',
        'a.yaml': bytes(config('a', 'data: {k: "'), [0xff], '"}\n'),
      },
      "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: invalid leading UTF-8 octet in File: a.yaml",
    ],
    [
      'the kustomization',
      { 'kustomization.yaml': bytes('namePrefix: "', [0xc3, 0x28], '"\n') },
      'invalid Kustomization: yaml: invalid trailing UTF-8 octet',
    ],
    [
      'an env file',
      {
        'kustomization.yaml': 'configMapGenerator: [{name: x, envs: [f]}]\n',
        f: bytes('a=b\nc=', [0xff], '\n'),
      },
      'loading KV pairs: env source files: [f]: line [99 61 255] has invalid utf8 bytes : c=\ufffd',
    ],
  ])('refuses %s that is no UTF-8', (_, files, message) => {
    expect(built(files)).toBe(message);
  });

  it('sets nothing for a line of a file that names nothing', () => {
    const text = built({
      'kustomization.yaml': 'configMapGenerator:\n- {name: a, envs: [x.env]}\n',
      'x.env': '=1\nb=2\n',
    });
    expect(text).toBe(
      'apiVersion: v1\ndata:\n  b: "2"\nkind: ConfigMap\nmetadata:\n  name: a-fmbk44khfc\n',
    );
  });

  it('reads UTF-16 where the byte order mark says so', () => {
    const little = Buffer.from(`\ufeff${config('a')}`, 'utf16le');
    for (const file of [little, Buffer.from(little).swap16()])
      expect(built({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': file })).toContain(
        'name: a\n',
      );
  });

  it('writes a folded block and reads it again on the way', () => {
    const data = 'data:\n  k: >\n    one\n    two\n      more\n    three\n';
    expect(
      built({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': config('a', data) }),
    ).toContain('  k: |\n    one two\n\n      more\n    three\n');
  });

  it.each([
    ['foo: bar\n', 'json: unknown field "foo"'],
    ['namePrefix: [{path: a, wat: 1}]\n', 'json: unknown field "wat"'],
  ])('refuses a configuration of transformers with %j', (text, message) => {
    const files = {
      'kustomization.yaml': 'resources: [a.yaml]\nconfigurations: [c.yaml]\n',
      'a.yaml': config('a'),
      'c.yaml': text,
    };
    expect(built(files)).toBe(`error unmarshaling JSON: while decoding JSON: ${message}`);
  });

  it('refuses a wildcard in a path of fields', () => {
    const files = {
      'kustomization.yaml':
        'resources: [a.yaml]\nconfigurations: [c.yaml]\nvars: [{name: X, objref: {kind: ConfigMap, name: a, apiVersion: v1}}]\n',
      'a.yaml': config('a', 'list: [{x: $(X)}]\n'),
      'c.yaml': 'varReference: [{path: list/*/x, kind: ConfigMap}]\n',
    };
    expect(built(files)).toBe(
      "considering field 'list/*/x' of object ConfigMap.v1.[noGrp]/a.[noNs]: visit traversal on path: [* x]: fieldName: *: wildcard is not supported in PathGetter",
    );
  });

  it('creates under annotations that are null once the resource was renamed', () => {
    const replacements =
      'replacements:\n- source: {kind: ConfigMap, fieldPath: metadata.name}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.annotations.x], options: {create: true}}]\n';
    const resource = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n';
    const of = (prefix: string) =>
      built({
        'kustomization.yaml': `resources: [a.yaml]\n${prefix}${replacements}`,
        'a.yaml': resource,
      });
    expect(of('namePrefix: p-\n')).toContain('  annotations:\n    x: p-a\n');
    expect(of('')).toContain('unable to find or create field "metadata.annotations.x"');
  });

  it.each([
    [
      'generators: [g.yaml]\n',
      'loading generator plugins: failed to load generator: unable to load builtin Nope.builtin.[noGrp]',
    ],
    ['replacements: [{path: no.yaml}]\n', '`\nReplacements:\n- path: no.yaml\n`: evalsymlink'],
    [
      'vars: [{name: X, objref: {kind: A, name: b}}, {name: X, objref: {kind: A, name: b}}]\n',
      "merging vars [{X A.[noVer].[noGrp] {}} {X A.[noVer].[noGrp] {}}]: var 'X' already encountered",
    ],
  ])('says of %j what the original says', (kustomization, message) => {
    const files = {
      'kustomization.yaml': kustomization,
      'g.yaml': 'apiVersion: builtin\nkind: Nope\nmetadata: {name: x}\n',
    };
    expect(built(files)).toContain(message);
  });

  it('tells Helm the namespace of the kustomization or of one above, and leaves what Helm makes there', async () => {
    const helm = async ({ chart, step }: HelmRequest) => ({
      text:
        step === 'pull'
          ? ''
          : `${config(chart.name ?? '', `data: {at: ${chart.namespace ?? 'nowhere'}}\n`)}---\n${config('own', '').replace('own', 'own, namespace: other')}`,
    });
    const files = (top: string, below: string) => ({
      'kustomization.yaml': `${top}resources: [below, plain.yaml]\n`,
      'plain.yaml': config('plain'),
      'below/kustomization.yaml': `${below}helmCharts:\n- name: c\n`,
      'below/charts/c/values.yaml': '',
    });
    const places = async (top: string, below: string) => {
      const { resources } = await build(memoryFileSystem(files(top, below)), '/', { helm });
      return resources
        .map(({ name, namespace, object }) => {
          const { data } = object as { data?: { at?: string } };
          return `${name} in ${namespace}: ${data?.at}`;
        })
        .sort();
    };
    const made = (at: string) => [
      `c in : ${at}`,
      'own in other: undefined',
      'plain in above: undefined',
    ];
    expect(await places('namespace: above\n', '')).toEqual(made('above'));
    expect(await places('namespace: above\n', 'namespace: below\n')).toEqual(made('below'));
  });
});

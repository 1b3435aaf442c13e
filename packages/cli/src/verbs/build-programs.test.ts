import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunResult, runInProcess } from '../run-in-process.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waygate-programs-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (text.startsWith('#!')) chmodSync(file, 0o755);
  return file;
}

function build(...flags: string[]): Promise<RunResult> {
  return runInProcess(['build', root, ...flags], {
    cwd: root,
    env: { PATH: process.env.PATH!, HOME: root, KUSTOMIZE_PLUGIN_HOME: join(root, 'plugins') },
  });
}

const web = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  type: ClusterIP\n';

function functionConfig(kind: string, path: string): string {
  return `apiVersion: example.com/v1\nkind: ${kind}\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: ${path}\nvalue: given\n`;
}

describe('functions that are executables', () => {
  test('transform the resources of a layer', async () => {
    put('web.yaml', web);
    put('f.yaml', functionConfig('Change', './change.sh'));
    put('change.sh', '#!/bin/sh\nsed "s/ClusterIP/NodePort/"\n');
    put('kustomization.yaml', 'namePrefix: p-\nresources: [web.yaml]\ntransformers: [f.yaml]\n');
    const refused = await build();
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("unable to load external plugin 'Change'");
    expect((await build('--enable-alpha-plugins')).stderr).toContain('must specify --enable-exec');
    const result = await build('--enable-alpha-plugins', '--enable-exec');
    expect(result.stderr).toBe('');
    expect(result.stdout).toBe(web.replace('web', 'p-web').replace('ClusterIP', 'NodePort'));
  });

  test('generate resources from their configuration', async () => {
    put('f.yaml', functionConfig('Make', './make.sh'));
    put(
      'make.sh',
      `#!/bin/sh
value=$(sed -n 's/^  value: //p' | head -n 1)
cat <<END
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: made
    annotations: {kustomize.config.k8s.io/needs-hash: "true"}
  data: {value: "$value"}
results:
- {message: "made one", severity: info}
END
`,
    );
    put('kustomization.yaml', 'generators: [f.yaml]\n');
    const result = await build('--enable-exec');
    expect(result.stdout).toMatch(
      /^apiVersion: v1\ndata:\n {2}value: given\nkind: ConfigMap\nmetadata:\n {2}name: made-[a-z0-9]{10}\n$/,
    );
    expect(result.stderr).toContain('[info] made one');
  });

  test('stop the build when they fail, print too much, or hang', async () => {
    put('web.yaml', web);
    put('f.yaml', functionConfig('Check', './check.sh'));
    put('kustomization.yaml', 'resources: [web.yaml]\nvalidators: [f.yaml]\n');
    put('check.sh', '#!/bin/sh\necho "type must not be ClusterIP" >&2\nexit 3\n');
    const failed = await build('--enable-exec');
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("couldn't execute function: './check.sh': exit status 3");
    expect(failed.stderr).toContain('type must not be ClusterIP');
    put('check.sh', '#!/bin/sh\nexec sleep 30\n');
    const hung = await build('--enable-exec', '--exec-timeout', '0.2');
    expect(hung.stderr).toContain('did not end within 0.2 s');
    put('check.sh', '#!/bin/sh\nexec yes\n');
    expect((await build('--enable-exec')).stderr).toContain('printed more than');
    put('check.sh', '#!/bin/sh\ncat\n');
    expect((await build('--enable-exec')).stdout).toBe(web);
    put('check.sh', '#!/bin/sh\nsed "s/ClusterIP/NodePort/"\n');
    expect((await build('--enable-exec')).stderr).toContain("validator shouldn't modify");
    put('f.yaml', functionConfig('Check', './nothing.sh'));
    expect((await build('--enable-exec')).stderr).toContain('cannot run');
  });

  test('may add and remove resources', async () => {
    put('web.yaml', `${web}---\n${web.replace('name: web', 'name: old')}`);
    put('f.yaml', functionConfig('Change', './change.sh'));
    put(
      'change.sh',
      `#!/bin/sh\ncat > /dev/null\nprintf '%s' '${web}---\n${web.replace('name: web', 'name: new')}'\n`,
    );
    put('kustomization.yaml', 'resources: [web.yaml]\ntransformers: [f.yaml]\n');
    const result = await build('--enable-exec');
    expect(result.stdout.match(/name: .*/g)).toEqual(['name: new', 'name: web']);
  });

  test('in containers are refused', async () => {
    put(
      'f.yaml',
      functionConfig('Make', 'x').replace('exec:\n        path: x', 'container:\n        image: x'),
    );
    put('kustomization.yaml', 'generators: [f.yaml]\n');
    expect((await build('--enable-exec')).stderr).toContain('containers and Starlark are not');
  });
});

test('plugins of the older kind are found below the plugin home', async () => {
  put(
    'plugins/example.com/v1/make/Make',
    '#!/bin/sh\ncat "$1" >&2\nprintf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: $2}\\ndata: {root: $(basename "$KUSTOMIZE_PLUGIN_CONFIG_ROOT")}\\n"\n',
  );
  put('plugins/example.com/v1/change/Change', '#!/bin/sh\nsed "s/^  name: /  name: x-/"\n');
  put(
    'make.yaml',
    'apiVersion: example.com/v1\nkind: Make\nmetadata: {name: m}\nargsOneLiner: "made extra"\n',
  );
  put('change.yaml', 'apiVersion: example.com/v1\nkind: Change\nmetadata: {name: c}\n');
  put('kustomization.yaml', 'generators: [make.yaml]\ntransformers: [change.yaml]\n');
  expect((await build()).stderr).toContain("unable to load external plugin 'Make'");
  const result = await build('--enable-alpha-plugins');
  expect(result.stdout).toContain('  name: x-made\n');
  expect(result.stdout).toContain(`  root: ${root.split('/').at(-1)}\n`);
});

describe('charts', () => {
  /** Stands for Helm: answers as it does, and notes how it was called. */
  const helm = `#!/bin/sh
echo "$HELM_CONFIG_HOME $*" >> calls.txt
case "$1" in
version) echo "v3.14.0+gabc" ;;
pull) mkdir -p "$4/web"; echo "replicas: 1" > "$4/web/values.yaml" ;;
template)
  while [ $# -gt 0 ]; do [ "$1" = -f ] && { cat "$2" >> values.txt; echo --- >> values.txt; }; shift; done
  printf 'a message\\n---\\napiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: from-chart}\\n' ;;
esac
`;
  const calls = (): string[] => readFileSync(join(root, 'calls.txt'), 'utf8').trim().split('\n');

  test('are rendered with the arguments that kustomize gives', async () => {
    const command = put('helm.sh', helm);
    put('charts/web/values.yaml', 'replicas: 1\nimage: {name: nginx, tag: a}\nlist: [1]\n');
    put('more.yaml', 'more: true\n');
    put(
      'kustomization.yaml',
      `helmGlobals: {configHome: ./conf}
helmCharts:
- name: web
  releaseName: prod
  namespace: shop
  nameTemplate: t
  additionalValuesFiles: [more.yaml]
  valuesInline: {image: {tag: b}, extra: 1, list: [2]}
  includeCRDs: true
  skipHooks: true
  skipTests: true
  apiVersions: [a/v1, b/v2]
  kubeVersion: "1.30"
  debug: true
  devel: true
`,
    );
    expect((await build()).stderr).toContain('must specify --enable-helm');
    const result = await build('--enable-helm', '--helm-command', command);
    expect(result.stderr).toBe('');
    expect(result.stdout).toBe('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-chart\n');
    expect(calls()[0]).toBe('./conf version --short');
    expect(calls()[1]!.replaceAll(/\S*-kustomize-values/g, 'VALUES')).toBe(
      `./conf template prod ${root}/charts/web --namespace shop --name-template t -f VALUES.yaml -f ${root}/more.yaml --api-versions a/v1 --api-versions b/v2 --kube-version 1.30 --include-crds --skip-tests --no-hooks --debug --devel`,
    );
    expect(readFileSync(join(root, 'values.txt'), 'utf8')).toBe(
      'extra: 1\nimage:\n  name: nginx\n  tag: b\nlist:\n- 2\nreplicas: 1\n---\nmore: true\n---\n',
    );
  });

  test.each([
    ['merge', 'gone: 1\nimage:\n  name: nginx\n  tag: a\nnew: 1\nzero: 0\n'],
    ['override', 'image:\n  name: nginx\n  tag: b\nnew: 1\nzero: 5\n'],
    ['replace', 'gone: null\nimage:\n  tag: b\nnew: 1\nzero: 5\n'],
  ])('take inline values by valuesMerge: %s', async (mode, expected) => {
    const command = put('helm.sh', helm);
    put('charts/web/values.yaml', 'image: {name: nginx, tag: a}\nzero: 0\ngone: 1\n');
    put(
      'kustomization.yaml',
      `helmCharts: [{name: web, valuesMerge: ${mode}, valuesInline: {image: {tag: b}, new: 1, zero: 5, gone: null}}]\n`,
    );
    await build('--enable-helm', '--helm-command', command);
    expect(readFileSync(join(root, 'values.txt'), 'utf8')).toBe(`${expected}---\n`);
    expect(calls().at(-1)).toContain(' template --generate-name ');
  });

  test('are rendered for what the command line says, unless they say it themselves', async () => {
    const command = put('helm.sh', helm);
    put('charts/web/values.yaml', '{}\n');
    const flags = [
      ...['--helm-kube-version', '1.30'],
      ...['--helm-api-versions', 'a/v1', '--helm-api-versions', 'b/v1'],
    ];
    put('kustomization.yaml', 'helmCharts: [{name: web}]\n');
    await build('--enable-helm', '--helm-command', command, ...flags, '--helm-debug');
    expect(calls().at(-1)).toMatch(
      / --api-versions a\/v1 --api-versions b\/v1 --kube-version 1.30 --debug$/,
    );
    put('kustomization.yaml', 'helmCharts: [{name: web, kubeVersion: "1.29"}]\n');
    await build('--enable-helm', '--helm-command', command, ...flags);
    expect(calls().at(-1)).toMatch(/ --kube-version 1.29$/);
  });

  test('are pulled when they are not there', async () => {
    const command = put('helm.sh', helm);
    put(
      'kustomization.yaml',
      'helmCharts: [{name: web, repo: "https://charts.example", version: 1.2.3, releaseName: r}]\n',
    );
    expect((await build('--enable-helm', '--helm-command', command)).exitCode).toBe(0);
    expect(calls()[1]).toMatch(
      new RegExp(
        ` pull --untar --untardir ${root}/charts/web-1.2.3 --repo https://charts.example web --version 1.2.3$`,
      ),
    );
    put(
      'kustomization.yaml',
      'helmCharts: [{name: web, repo: "oci://registry.example/charts/"}]\n',
    );
    await build('--enable-helm', '--helm-command', command);
    expect(calls().find((call) => call.includes('oci:'))).toMatch(
      /charts oci:\/\/registry.example\/charts\/web$/,
    );
    put(
      'kustomization.yaml',
      'helmCharts: [{name: pinned, repo: "oci://registry.example", digest: "sha256:ab"}]\n',
    );
    await build('--enable-helm', '--helm-command', command);
    expect(calls().find((call) => call.includes('pinned'))).toMatch(
      / oci:\/\/registry.example\/pinned@sha256:ab$/,
    );
    put(
      'kustomization.yaml',
      'helmCharts: [{name: web, repo: "https://x", digest: "sha256:ab"}]\n',
    );
    expect((await build('--enable-helm', '--helm-command', command)).stderr).toContain(
      'digest is only supported for OCI repos',
    );
    put('kustomization.yaml', 'helmCharts: [{name: other}]\n');
    expect((await build('--enable-helm', '--helm-command', command)).stderr).toContain(
      'no repo specified for pull',
    );
  });

  test('in the older spellings are the same', async () => {
    const command = put('helm.sh', helm);
    put('home/web/values.yaml', 'a: 1\n');
    put(
      'kustomization.yaml',
      'helmChartInflationGenerator: [{chartName: web, chartHome: home, releaseName: r, valuesLocal: {b: 2}}]\n',
    );
    expect((await build('--enable-helm', '--helm-command', command)).stdout).toContain(
      'from-chart',
    );
    expect(readFileSync(join(root, 'values.txt'), 'utf8')).toBe('a: 1\nb: 2\n---\n');
    put(
      'g.yaml',
      'apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: web\nchartHome: home\nreleaseName: s\n',
    );
    put('kustomization.yaml', 'generators: [g.yaml]\n');
    expect((await build('--enable-helm', '--helm-command', command)).stdout).toContain(
      'from-chart',
    );
  });

  test('fail with what Helm says, and stay below the root', async () => {
    put('charts/web/values.yaml', '{}\n');
    put('kustomization.yaml', 'helmCharts: [{name: web}]\n');
    const two = put('two.sh', '#!/bin/sh\necho v2.17.0\n');
    expect((await build('--enable-helm', '--helm-command', two)).stderr).toContain(
      'requires helm V3 or V4 but got v2.17.0',
    );
    const broken = put(
      'broken.sh',
      '#!/bin/sh\n[ "$1" = version ] && { echo v3.1.0; exit; }\necho "no such value" >&2\nexit 1\n',
    );
    const failed = await build('--enable-helm', '--helm-command', broken);
    expect(failed.stderr).toContain("no such value: unable to run: '");
    put('kustomization.yaml', 'helmCharts: [{name: ../web}]\n');
    expect((await build('--enable-helm', '--helm-command', two)).stderr).toContain(
      'no name of a chart',
    );
    put('kustomization.yaml', 'helmGlobals: {chartHome: ../..}\nhelmCharts: [{name: web}]\n');
    expect((await build('--enable-helm', '--helm-command', two)).stderr).toContain('security;');
    put('kustomization.yaml', 'helmCharts: [{name: web, valuesMerge: odd}]\n');
    expect((await build('--enable-helm', '--helm-command', two)).stderr).toContain(
      'valuesMerge must be one of',
    );
  });
});

import { describe, expect, test } from 'vitest';
import type { HelmMajor } from '../engine/values-type.ts';
import { MemoryFiles } from './memory-files.ts';
import { runHelm } from './run-helm.ts';
import type { CommandWorld, PostRenderer } from './world.ts';

const chart = {
  '/here/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  '/here/web/templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\n',
  '/here/web/templates/test.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: t\n  annotations:\n    helm.sh/hook: test\n',
};

async function helm(
  line: string,
  major: HelmMajor,
  texts: Record<string, string> = {},
  more: Partial<CommandWorld> = {},
): Promise<{ code: number; out: string; err: string }> {
  const files = new MemoryFiles(() => new Date(0));
  for (const [path, text] of Object.entries({ ...chart, ...texts })) files.write(path, text);
  let [out, err] = ['', ''];
  const code = await runHelm(line.split(' '), {
    helm: major,
    cwd: '/here',
    env: {},
    files,
    now: () => new Date(0),
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
    ...more,
  });
  return { code, out, err };
}

test.each<[HelmMajor, string, string]>([
  [
    3,
    'template r web --timeout x',
    'invalid argument "x" for "--timeout" flag: time: invalid duration "x"',
  ],
  [
    4,
    'template r web --labels a',
    'invalid argument "a" for "-l, --labels" flag: a must be formatted as key=value',
  ],
  [3, 'template r web --kube-version 1', 'invalid kube version \'1\': illegal version string "1"'],
  [
    4,
    'template r web --kube-version v01.2',
    'invalid kube version \'v01.2\': illegal zero-prefixed version component "01" in "v01.2"',
  ],
  [
    4,
    'template r web --kube-version x',
    'invalid kube version \'x\': could not parse "x" as version',
  ],
  [3, 'template r web --set a[0', 'failed parsing --set data: error parsing index: EOF'],
  [3, 'template r web --verify', 'unpacked charts cannot be verified'],
  [
    3,
    'template r web --dry-run=bad',
    'Invalid dry-run flag. Flag must one of the following: false, true, none, client, server',
  ],
  [
    4,
    'template r web --dry-run=bad',
    'invalid dry-run value ("bad"). Must be "none", "server", or "client"',
  ],
  [
    4,
    'template r web --dry-run=none',
    'invalid dry-run value ("none"). Must be "server" or "client"',
  ],
  [4, 'template r web --dry-run=0', 'invalid dry-run value ("0"). Must be "server" or "client"'],
  [
    4,
    'template r web --dry-run=server',
    '--dry-run=server needs a cluster, and none is asked here',
  ],
  [
    4,
    'dependency list web --max-col-width -1',
    'invalid argument "-1" for "--max-col-width" flag: strconv.ParseUint: parsing "-1": invalid syntax',
  ],
  [3, 'package web/Chart.yaml', 'Chart.yaml file is missing'],
  [
    4,
    'package web/Chart.yaml',
    'unable to detect chart at /here/web/Chart.yaml/Chart.yaml: open /here/web/Chart.yaml/Chart.yaml: not a directory',
  ],
  [4, 'package web -d web/Chart.yaml', 'failed to save: is not a directory: web/Chart.yaml'],
  [4, 'pull oci://', 'non-absolute URLs should be in form of repo_name/path_to_chart, got: oci:'],
  [4, 'pull web --repo ftp://x', 'could not find protocol handler for: ftp'],
  [
    3,
    'pull web --repo https://x --ca-file no',
    "missing registry client: can't create TLS config for client: can't read CA file: no",
  ],
  [
    4,
    'pull web --repo https://x --ca-file no',
    `missing registry client: can't create TLS config for client: can't read CA file: "no": open no: no such file or directory`,
  ],
  [
    4,
    'pull web --repo https://x --cert-file web/Chart.yaml --key-file no',
    `missing registry client: can't create TLS config for client: unable to read key file: "no": open no: no such file or directory`,
  ],
  [
    3,
    'pull web --repo https://x --cert-file web/Chart.yaml --key-file no',
    "missing registry client: can't create TLS config for client: can't load key pair from cert web/Chart.yaml and key no: open no: no such file or directory",
  ],
])('Helm %d: %s is refused', async (major, line, words) => {
  expect(await helm(line, major)).toEqual({ code: 1, out: '', err: `Error: ${words}\n` });
});

test.each<[string, string]>([
  [
    'template r web --atomic',
    'Flag --atomic has been deprecated, use --rollback-on-failure instead\n',
  ],
  ['template r web --force', 'Flag --force has been deprecated, use --force-replace instead\n'],
  [
    'template r web --hide-notes',
    "Flag --hide-notes has been deprecated, this flag has no effect for 'helm template' and will be removed in Helm 5\n",
  ],
  [
    'template r web --dry-run',
    `level=WARN msg="--dry-run is deprecated and should be replaced with '--dry-run=client'"\n`,
  ],
  [
    'template r web --dry-run=true',
    `level=WARN msg="boolean '--dry-run=true' flag is deprecated and must be replaced with '--dry-run=client'"\n`,
  ],
  ['template r web --set a[0', ''],
])('Helm 4 takes %s, and says what to use instead', async (line, words) => {
  expect(await helm(line, 4)).toMatchObject({ code: 0, err: words });
});

const config = (namespace: string): string =>
  `current-context: a\ncontexts:\n- {name: a, context: {namespace: ${namespace}}}\n- {name: b, context: {namespace: of-b}}\n`;

test.each<[string, Record<string, string>, string]>([
  ['template r web', {}, 'default'],
  ['template r web', { HOME: '/home' }, 'of-home'],
  ['template r web', { HOME: '/home', KUBECONFIG: '/none:/other' }, 'of-other'],
  ['template r web', { HOME: '/home', HELM_NAMESPACE: 'told' }, 'told'],
  ['template r web --kube-context b', { HOME: '/home' }, 'of-b'],
  ['template r web --kubeconfig /other', { HOME: '/home' }, 'of-other'],
  ['template r web --kubeconfig /broken', {}, 'default'],
  ['template r web -n own', { HOME: '/home' }, 'own'],
])('the namespace of %s with %j is %3$s', async (line, env, namespace) => {
  const files = {
    '/home/.kube/config': config('of-home'),
    '/other': config('of-other'),
    '/broken': 'a: [',
  };
  expect((await helm(line, 4, files, { env })).out).toContain(`namespace: ${namespace}\n`);
});

describe('--post-renderer', () => {
  const plugin = (fields: string): string =>
    `apiVersion: v1\nname: up\nversion: 1.0.0\n${fields}\n`;
  const commands = `runtime: subprocess\ntype: postrenderer/v1\nruntimeConfig:\n  platformCommand:\n  - {os: plan9, command: wrong}\n  - {command: any}\n  - {os: linux, arch: arm64, command: wrong}\n  - {os: LINUX, command: "\${HELM_PLUGIN_DIR}/run one", args: [$HELM_PLUGIN_NAME, $NONE]}\n`;
  const runs: string[][] = [];
  const shouting: PostRenderer = {
    find: (name) => {
      if (name === 'sed') return '/bin/sed';
      throw new Error(`exec: "${name}": executable file not found in $PATH`);
    },
    run: async (command, args, input, env) => {
      runs.push([command, ...args, env.HELM_PLUGIN_NAME ?? '']);
      if (args.includes('fail')) return { exitCode: 3, stdout: '', stderr: 'no\n' };
      const stdout = args.includes('empty') ? ' \n' : input.replaceAll('name: ', 'name: x-');
      return { exitCode: 0, stdout, stderr: '' };
    },
  };
  const world = {
    env: { HELM_PLUGINS: '/none:/plugins' },
    platform: { os: 'linux', arch: 'amd64' },
    postRenderer: shouting,
  };
  const files = {
    '/plugins/a/plugin.yaml': 'a: [',
    '/plugins/b/plugin.yaml': plugin('runtime: extism/v1\ntype: postrenderer/v1'),
    '/plugins/c/plugin.yaml': plugin('runtime: subprocess\ntype: cli/v1'),
    '/plugins/d/plugin.yaml': plugin(commands),
  };

  test('is a program for Helm 3, which gets what is no hook', async () => {
    runs.length = 0;
    const { code, out } = await helm(
      'template r web --post-renderer sed --post-renderer-args a,b',
      3,
      {},
      world,
    );
    expect(code).toBe(0);
    expect(out).toContain('name: x-r\n');
    expect(out).toContain('name: t\n');
    expect(runs).toEqual([['/bin/sed', 'a,b', '']]);
  });

  test('is a plugin for Helm 4, which gets hooks too, and gives back what goes to the same files', async () => {
    runs.length = 0;
    const { code, out } = await helm(
      'template r web --post-renderer up --post-renderer-args b',
      4,
      files,
      world,
    );
    expect(code).toBe(0);
    expect(out.match(/^# Source: .*$|^ {2}name: .*$/gm)).toEqual([
      '# Source: x-web/templates/config.yaml',
      '  name: x-r',
      '# Source: x-web/templates/test.yaml',
      '  name: x-t',
    ]);
    expect(runs).toEqual([['/plugins/d/run', 'one', 'up', '', 'b', 'up']]);
  });

  test.each<[HelmMajor, string, string]>([
    [
      3,
      'nope',
      'invalid argument "nope" for "--post-renderer" flag: unable to find binary at nope: exec: "nope": executable file not found in $PATH\n',
    ],
    [
      4,
      'sed',
      'invalid argument "sed" for "--post-renderer" flag: plugin: {Name:sed Type:postrenderer/v1} not found\n',
    ],
    [
      3,
      'sed --post-renderer-args fail',
      'error while running post render on files: error while running command /bin/sed. error output:\nno\n: exit status 3\n\nUse --debug flag to render out invalid YAML\n',
    ],
    [
      4,
      'up --post-renderer-args fail',
      'error while running post render on files: failed to invoke post-renderer plugin "up": plugin "up" exited with error\n\nUse --debug flag to render out invalid YAML\n',
    ],
    [
      4,
      'up --post-renderer-args empty',
      'error while running post render on files: post-renderer "up" produced empty output\n\nUse --debug flag to render out invalid YAML\n',
    ],
  ])('Helm %d: %s fails as it does there', async (major, words, said) => {
    const line = `template r web --post-renderer ${words}`;
    expect(await helm(line, major, files, world)).toEqual({
      code: 1,
      out: '',
      err: `Error: ${said}`,
    });
  });
});

test('what a disk refuses is told in the words of Go, and is no defect', async () => {
  const files = new MemoryFiles();
  const full = Object.assign(new Error('ENOSPC'), {
    code: 'ENOSPC',
    syscall: 'write',
    path: '/here/out',
  });
  for (const [path, text] of Object.entries(chart)) files.write(path, text);
  files.write = () => {
    throw full;
  };
  expect(await helm('template r web --output-dir out', 4, {}, { files })).toMatchObject({
    code: 1,
    err: 'Error: write /here/out: no space left on device\n',
  });
});

import { describe, expect, test } from 'vitest';
import type { HelmMajor } from '../engine/values-type.ts';
import { MemoryFiles } from './memory-files.ts';
import { runHelm } from './run-helm.ts';
import type { CommandNetwork } from './world.ts';

const now = new Date('2026-01-02T03:04:05Z');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly files: MemoryFiles;
}

async function helm(
  args: readonly string[],
  texts: Record<string, string>,
  options: { helm?: HelmMajor; network?: CommandNetwork } = {},
): Promise<Ran> {
  const files = new MemoryFiles(() => now);
  for (const [path, text] of Object.entries(texts)) files.write(`/here/${path}`, text);
  let out = '';
  let err = '';
  const code = await runHelm(args, {
    helm: options.helm ?? 4,
    cwd: '/here',
    env: {},
    files,
    network: options.network,
    now: () => now,
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
  });
  return { code, out, err, files };
}

const chart = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.org/i.png\n',
  'web/values.yaml': 'replicas: 1\n',
  'web/templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  replicas: {{ .Values.replicas }}\n',
  'web/templates/NOTES.txt': 'Thanks, {{ .Release.Namespace }}.',
  'web/templates/test.yaml': 'kind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n',
};

describe('template', () => {
  test('prints manifests, then hooks', async () => {
    const { code, out, err } = await helm(['template', 'r', './web', '--set', 'replicas=3'], chart);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      '---\n# Source: web/templates/config.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: r\ndata:\n  replicas: 3\n---\n# Source: web/templates/test.yaml\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n\n',
    );
  });

  test('leaves out, chooses, and writes files', async () => {
    expect((await helm(['template', 'web', '--skip-tests'], chart)).out).not.toContain('Pod');
    expect((await helm(['template', 'web', '--no-hooks'], chart)).out).not.toContain('Pod');
    const only = await helm(['template', 'web', '-s', 'templates/te*'], chart);
    expect(only.out).toMatch(/^---\n# Source: web\/templates\/test.yaml\n/);
    const { files, out } = await helm(['template', 'web', '--output-dir', 'out'], chart);
    expect(out).toBe('wrote out/web/templates/config.yaml\nwrote out/web/templates/test.yaml\n\n');
    expect(files.paths()).toContain('/here/out/web/templates/config.yaml');
  });

  const failures: [string, string[], string][] = [
    [
      'no arguments',
      [],
      '"helm template" requires at least 1 argument\n\nUsage:  helm template [NAME] [CHART] [flags]',
    ],
    ['an unknown flag', ['web', '--nope'], 'unknown flag: --nope'],
    ['an unknown letter', ['web', '-Z'], "unknown shorthand flag: 'Z' in -Z"],
    ['a flag without its value', ['web', '--set'], 'flag needs an argument: --set'],
    [
      'too many arguments',
      ['a', 'b', 'c'],
      'expected at most two arguments, unexpected arguments: c',
    ],
    ['a path that is not there', ['r', './nope'], 'path "./nope" not found'],
    [
      'a name that is no chart',
      ['r', 'nope'],
      'non-absolute URLs should be in form of repo_name/path_to_chart, got: nope',
    ],
    ['a repository that nobody knows', ['r', 'a/b'], 'repo a not found'],
    [
      'a file of values that is not there',
      ['web', '-f', 'x.yaml'],
      'open x.yaml: no such file or directory',
    ],
    [
      'a bad version of Kubernetes',
      ['web', '--kube-version', 'x'],
      `invalid kube version 'x': could not parse "x" as version`,
    ],
    ['a template that is not there', ['web', '-s', 'x'], 'could not find template x in chart'],
  ];
  test.each(failures)('%s', async (_, args, message) => {
    const { code, out, err } = await helm(['template', ...args], chart);
    expect([code, out, err]).toEqual([1, '', `Error: ${message}\n`]);
  });

  test('asks for what a schema refers to', async () => {
    const texts = {
      ...chart,
      'web/values.schema.json': '{"$ref":"https://example.org/s.json"}',
    };
    const asked: string[] = [];
    const network: CommandNetwork = {
      async fetch(url) {
        asked.push(url);
        return { status: 200, data: new TextEncoder().encode('{"required":["x"]}') };
      },
      listTags: async () => [],
      pullChart: async () => {
        throw new Error('no');
      },
    };
    const { err } = await helm(['template', 'web'], texts, { network });
    expect(asked).toEqual(['https://example.org/s.json']);
    expect(err).toContain("web:\n- at '': missing property 'x'\n");
  });
});

test('install tells what it would do, and its notes', async () => {
  const { out } = await helm(['install', 'r', 'web', '--dry-run=client', '-n', 'ns'], chart);
  expect(out).toContain('NAME: r\nLAST DEPLOYED: Fri Jan  2 03:04:05 2026\nNAMESPACE: ns\n');
  expect(out).toMatch(/NOTES:\nThanks, ns.\n$/);
});

test('lint has an error, a warning and an info, and fails for the first', async () => {
  const texts = {
    ...chart,
    'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\nmaintainers: [{email: e}]\n',
    'web/templates/old.yaml':
      'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n',
  };
  const { code, out, err } = await helm(['lint', 'web'], texts);
  expect(out).toBe(
    '==> Linting web\n[ERROR] Chart.yaml: each maintainer requires a name\n[INFO] Chart.yaml: icon is recommended\n[WARNING] templates/old.yaml: policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 PodDisruptionBudget\n\n',
  );
  expect([code, err]).toEqual([1, 'Error: 1 chart(s) linted, 1 chart(s) failed\n']);
});

test('show prints what the chart has', async () => {
  expect((await helm(['show', 'values', 'web'], chart)).out).toBe('replicas: 1\n\n');
  expect((await helm(['show', 'values', 'web', '--jsonpath', '{.replicas}'], chart)).out).toBe('1');
  expect((await helm(['inspect', 'chart', 'web'], chart)).out).toContain(
    'name: web\nversion: 1.0.0\n',
  );
});

test('package, then template of the archive', async () => {
  const packed = await helm(['package', 'web', '--version', '2.0.0', '-d', 'dist'], chart);
  expect(packed.out).toBe('Successfully packaged chart and saved it to: dist/web-2.0.0.tgz\n');
  const archive = packed.files.read('/here/dist/web-2.0.0.tgz');
  const files = new MemoryFiles();
  files.write('/here/web.tgz', archive);
  let out = '';
  const world = {
    helm: 4 as const,
    cwd: '/here',
    env: {},
    files,
    now: () => now,
    random: (count: number) => new Uint8Array(count),
    timeZone: 'UTC',
    writeOut: (text: string) => {
      out += text;
    },
    writeError: () => {},
  };
  expect(await runHelm(['template', 'r', 'web.tgz'], world)).toBe(0);
  expect(out).toContain('# Source: web/templates/config.yaml');
});

describe('dependencies', () => {
  const index = (digest: string) =>
    `apiVersion: v1\nentries:\n  kid:\n  - {name: kid, version: 1.1.0, urls: [kid-1.1.0.tgz], digest: ${digest}}\n  - {name: kid, version: 2.0.0-rc.1, urls: [kid-2.tgz]}\n  - {name: kid, version: 1.0.0, urls: [kid-1.0.0.tgz]}\n`;
  const texts = {
    'web/Chart.yaml':
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: kid, version: ^1, repository: "https://charts.example.org"}\n',
  };

  async function update(digestOf: (archive: Uint8Array) => string) {
    const packed = await helm(['package', 'kid'], {
      'kid/Chart.yaml': 'apiVersion: v2\nname: kid\nversion: 1.1.0\n',
    });
    const archive = packed.files.read('/here/kid-1.1.0.tgz');
    const network: CommandNetwork = {
      async fetch(url) {
        if (url === 'https://charts.example.org/index.yaml') {
          return { status: 200, data: new TextEncoder().encode(index(digestOf(archive))) };
        }
        if (url === 'https://charts.example.org/kid-1.1.0.tgz')
          return { status: 200, data: archive };
        return { status: 404, data: new Uint8Array() };
      },
      listTags: async () => [],
      pullChart: async () => {
        throw new Error('no');
      },
    };
    return await helm(['dependency', 'update', 'web'], texts, { network });
  }

  test('are resolved, fetched and locked', async () => {
    const { createHash } = await import('node:crypto');
    const { code, files, out } = await update((data) =>
      createHash('sha256').update(data).digest('hex'),
    );
    expect(code).toBe(0);
    expect(out).toContain('Downloading kid from repo https://charts.example.org\n');
    expect(files.paths()).toContain('/here/web/charts/kid-1.1.0.tgz');
    expect(new TextDecoder().decode(files.read('/here/web/Chart.lock'))).toContain(
      '  version: 1.1.0\n',
    );
  });

  test('that are not what the index promised change nothing', async () => {
    const { code, files, err } = await update(() => 'ab'.repeat(32));
    expect(code).toBe(1);
    expect(err).toContain('is not what the index of its repository promised');
    expect(files.paths()).toEqual(['/here/web/Chart.yaml']);
  });
});

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// The table of docs/architecture.md: a room may import only what stands before it on the line.
const mayImport: Record<string, readonly string[]> = {
  text: [],
  schema: ['text'],
  kube: ['schema', 'text'],
  runtime: ['kube', 'schema', 'text'],
  kustomize: ['schema', 'text'],
  apply: ['kube', 'runtime', 'schema', 'text'],
  kong: ['text'],
  gateway: ['kong', 'text'],
  passthrough: ['text'],
  apiserver: ['schema', 'text'],
  ingress: ['kube', 'runtime', 'kong', 'passthrough', 'schema', 'text'],
  helm: ['schema', 'text'],
  gitops: ['kube', 'runtime', 'kustomize', 'helm', 'apply', 'schema', 'text'],
  dashboard: ['kube', 'runtime', 'kong', 'schema', 'text'],
  cli: [
    'text',
    'schema',
    'kube',
    'runtime',
    'kustomize',
    'apply',
    'kong',
    'gateway',
    'passthrough',
    'apiserver',
    'ingress',
    'helm',
    'gitops',
    'dashboard',
  ],
};

// Inside a room the folders stand in an order too: one may import only those named before it. What lies
// beside them in `src/` (the room's error, its door) has no place in it, but closes no circle either.
const folderOrder: Record<string, readonly string[]> = {
  text: ['crypt', 'regex', 'semver', 'cel', 'yaml', 'disk', 'http', 'x509', 'testing'],
  schema: ['generated', 'api', 'cel', 'typescript'],
  kube: [
    'api',
    'config',
    'transport',
    'kubeconfig',
    'list',
    'watch',
    'resource',
    'discovery',
    'stream',
  ],
  runtime: [
    'time',
    'flags',
    'tracing',
    'queue',
    'cache',
    'health',
    'election',
    'events',
    'controller',
    'simulation',
  ],
  kustomize: [
    'generated',
    'file-system',
    'yaml',
    'selector',
    'config',
    'generators',
    'transformers',
    'plugins',
    'edit',
    'localize',
    'testing',
  ],
  apply: ['health', 'testing'],
  kong: ['entity', 'schema', 'store', 'sync', 'admin', 'file', 'rewrite', 'openapi', 'kic'],
  passthrough: ['testing'],
  gateway: [
    'collection',
    'http',
    'configuration',
    'exchange',
    'http1',
    'http2',
    'fastcgi',
    'router',
    'balancer',
    'tls',
    'storage',
    'listener',
    'plugin',
    'snapshot',
    'metrics',
    'proxy',
    'stream',
    'lua',
    'template',
    'plugins',
    'admin',
    'workers',
    'testing',
    'faults',
  ],
  apiserver: [
    'status',
    'validation',
    'storage',
    'tls',
    'typed-schema',
    'decode',
    'protobuf',
    'selectors',
    'managed',
    'access',
    'http',
    'stream',
    'resources',
    'core',
    'output',
    'cel',
    'builtins',
    'admission',
    'crd',
    'rest',
    'auth',
    'discovery',
    'controllers',
    'server',
    'testing',
    'envtest',
  ],
  ingress: [
    'objects',
    'store',
    'translate',
    'takeover',
    'fallback',
    'sync',
    'admission',
    'passthrough',
    'status',
    'metrics',
    'tracing',
    'controller',
    'crds',
    'flags',
  ],
  gitops: [
    'api',
    'crds',
    'version',
    'ignore',
    'artifact',
    'http',
    'git',
    'bucket',
    'oci',
    'sops',
    'substitution',
    'source',
    'kustomization',
    'release',
    'provider',
    'receiver',
    'notification',
    'flags',
    'testing',
  ],
  helm: [
    'go',
    'json-schema',
    'template',
    'formats',
    'functions',
    'values',
    'engine',
    'version',
    'chart',
    'render',
    'release',
    'lint',
    'command',
    'testing',
  ],
  dashboard: [
    'protocol',
    'view',
    'stream',
    'access',
    'http',
    'sign-in',
    'feed',
    'server',
    'testing',
  ],
  cli: [
    'check',
    'migrate',
    'flux',
    'controller',
    'trace',
    'dashboard',
    'processes',
    'workloads',
    'project',
    'template',
    'runs',
    'up',
    'support',
    'helm',
    'testing',
    'verbs',
  ],
};

// A room's tests may stand up real neighbours (an API server, a gateway) to be tested over sockets.
const testsMayImport = ['apiserver', 'gateway', 'kube', 'runtime', 'schema', 'text'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rooms = readdirSync(join(root, 'packages'));

describe('import directions', () => {
  test('every room is in the table', () => {
    expect([...rooms].sort()).toEqual(Object.keys(mayImport).sort());
    expect(Object.keys(folderOrder).sort()).toEqual(Object.keys(mayImport).sort());
  });

  test.each(rooms)('%s imports only the rooms before it, through their doors', (room) => {
    expect(violations(room)).toEqual([]);
  });

  test.each(Object.keys(folderOrder))('the folders of %s import in one direction', (room) => {
    expect(foldersOf(room)).toEqual([...folderOrder[room]!].sort());
    expect(upwardImports(room)).toEqual([]);
  });

  test.each(Object.keys(folderOrder))('nothing in %s leads back into a folder', (room) => {
    expect(circles(room)).toEqual([]);
  });
});

function foldersOf(room: string): string[] {
  const src = join(root, 'packages', room, 'src');
  return readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory());
}

function upwardImports(room: string): string[] {
  const order = folderOrder[room]!;
  return importsInside(room)
    .filter(({ from, to }) => order.includes(from) && order.indexOf(to) > order.indexOf(from))
    .map(({ file, specifier }) => `${relative(root, file)} imports ${specifier}`);
}

/** The folders that can be reached from themselves, by way of whatever lies in `src/`. */
function circles(room: string): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of importsInside(room)) {
    if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  return folderOrder[room]!.filter((folder) => {
    const reached = new Set(next.get(folder));
    for (const each of reached) for (const further of next.get(each) ?? []) reached.add(further);
    return reached.has(folder);
  });
}

interface ImportInside {
  readonly file: string;
  readonly specifier: string;
  /** The folder, or the file beside the folders, that imports and is imported. */
  readonly from: string;
  readonly to: string;
}

function importsInside(room: string): ImportInside[] {
  const src = join(root, 'packages', room, 'src');
  const placeOf = (file: string) => relative(src, file).split(sep)[0]!;
  return sources(src)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      imports(readFileSync(file, 'utf8'))
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => ({
          file,
          specifier,
          from: placeOf(file),
          to: placeOf(join(dirname(file), specifier)),
        })),
    );
}

function violations(room: string): string[] {
  const found: string[] = [];
  for (const file of sources(join(root, 'packages', room, 'src'))) {
    const isTest = file.endsWith('.test.ts');
    const allowed = [...(mayImport[room] ?? []), room, ...(isTest ? testsMayImport : [])];
    for (const specifier of imports(readFileSync(file, 'utf8'))) {
      const problem = problemWith(specifier, allowed, file, room);
      if (problem !== undefined) found.push(`${relative(root, file)}: ${problem}`);
    }
  }
  return found;
}

/** What is not in the package as it is published: all of it may wait as `test/until.ts` does. */
function isForTests(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes(`${sep}src${sep}testing${sep}`);
}

function problemWith(
  specifier: string,
  allowed: readonly string[],
  file: string,
  room: string,
): string | undefined {
  if (specifier.startsWith('.')) {
    const target = relative(join(root, 'packages', room), join(dirname(file), specifier));
    if (isForTests(file) && target === join('..', '..', 'test', 'until.ts')) return undefined;
    return target.startsWith('..') ? `reaches out of its room: ${specifier}` : undefined;
  }
  const match = /^@waygate\/([^/]+)(\/.*)?$/.exec(specifier);
  if (match === null) return undefined;
  if (!isDoor(match[1]!, match[2])) return `reaches past the door: ${specifier}`;
  return allowed.includes(match[1]!) ? undefined : `may not import ${specifier}`;
}

/** A room has one door, and those side doors that its exports name. */
function isDoor(room: string, path: string | undefined): boolean {
  if (path === undefined) return true;
  const { exports } = JSON.parse(
    readFileSync(join(root, 'packages', room, 'package.json'), 'utf8'),
  ) as { readonly exports: Readonly<Record<string, unknown>> };
  return Object.hasOwn(exports, `.${path}`);
}

function imports(source: string): string[] {
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
}

function sources(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) ? [path] : [];
  });
}

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
  gitops: ['kube', 'runtime', 'kustomize', 'apply', 'schema', 'text'],
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
    'gitops',
  ],
};

// Inside a room the folders stand in an order too: one may import only those named before it. What lies
// beside them in `src/` (the room's error, its door) belongs to none.
const folderOrder: Record<string, readonly string[]> = {
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
  ],
  runtime: [
    'time',
    'flags',
    'queue',
    'cache',
    'health',
    'election',
    'events',
    'controller',
    'simulation',
  ],
};

// A room's tests may stand up real neighbours (an API server, a gateway) to be tested over sockets.
const testsMayImport = ['apiserver', 'gateway', 'kube', 'runtime', 'schema', 'text'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rooms = readdirSync(join(root, 'packages'));

describe('import directions', () => {
  test('every room is in the table', () => {
    expect(rooms.filter((room) => room !== 'dashboard').sort()).toEqual(
      Object.keys(mayImport).sort(),
    );
  });

  test.each(rooms)('%s imports only the rooms before it, through their doors', (room) => {
    expect(violations(room)).toEqual([]);
  });

  test.each(Object.keys(folderOrder))('the folders of %s import in one direction', (room) => {
    expect(foldersOf(room)).toEqual([...folderOrder[room]!].sort());
    expect(upwardImports(room)).toEqual([]);
  });
});

function foldersOf(room: string): string[] {
  const src = join(root, 'packages', room, 'src');
  return readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory());
}

function upwardImports(room: string): string[] {
  const order = folderOrder[room]!;
  const src = join(root, 'packages', room, 'src');
  const rankOf = (file: string) => order.indexOf(relative(src, file).split(sep)[0]!);
  return sources(src)
    .filter((file) => !file.endsWith('.test.ts') && rankOf(file) >= 0)
    .flatMap((file) =>
      imports(readFileSync(file, 'utf8'))
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => rankOf(join(dirname(file), specifier)) > rankOf(file))
        .map((specifier) => `${relative(root, file)} imports ${specifier}`),
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

function problemWith(
  specifier: string,
  allowed: readonly string[],
  file: string,
  room: string,
): string | undefined {
  if (specifier.startsWith('.')) {
    const target = relative(join(root, 'packages', room), join(dirname(file), specifier));
    return target.startsWith('..') ? `reaches out of its room: ${specifier}` : undefined;
  }
  const match = /^@waygate\/([^/]+)(\/.*)?$/.exec(specifier);
  if (match === null) return undefined;
  if (match[2] !== undefined) return `reaches past the door: ${specifier}`;
  return allowed.includes(match[1]!) ? undefined : `may not import ${specifier}`;
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

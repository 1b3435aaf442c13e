import { existsSync } from 'node:fs';
import { printYaml } from '@waygate/text';
import { afterEach, describe, expect, test } from 'vitest';
import { FileTree } from '../artifact/file-tree.ts';
import { encrypted } from '../testing/sops-encryption.ts';
import { buildManifests } from './build-manifests.ts';
import { BuildPool } from './build-pool.ts';

const entry = new URL('../../dist/kustomization/build-worker.js', import.meta.url);
const pools: BuildPool[] = [];

function poolOf(options: ConstructorParameters<typeof BuildPool>[0] = {}): BuildPool {
  const pool = new BuildPool({ leastBytes: 0, threads: 1, entry, ...options });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

const map = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${['$', '{v}'].join('')}\n`;

function inputOf(files: Record<string, string>, value = 'x') {
  return {
    files: FileTree.of(
      Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
    ),
    path: '/app',
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 's' } },
    variables: new Map([['v', value]]),
    isStrict: true,
  };
}

describe.runIf(existsSync(entry))('a build in a thread', () => {
  test('is the same as one here, and so is what it has read', async () => {
    const input = inputOf({ 'app/a.yaml': map('a'), 'app/b.yaml': map('b'), 'other.txt': 'x' });
    const there = await poolOf().build(input);
    const here = await buildManifests(input);
    expect(there.objects).toEqual(here.objects);
    expect(there.digest).toBe(here.digest);
    expect([...there.reads.files.keys()].sort()).toEqual([...here.reads.files.keys()].sort());
    expect(input.files.isSameFor(there.reads)).toBe(true);
    const changed = inputOf({ 'app/a.yaml': map('changed'), 'app/b.yaml': map('b') });
    expect(changed.files.isSameFor(there.reads)).toBe(false);
  });

  test('decrypts there, with keys that it is handed', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { password: 'hunter2' },
    };
    const { file, keys } = await encrypted(secret, '^stringData$');
    const input = inputOf({ 'app/s.yaml': printYaml(file) });
    const pool = poolOf();
    const built = await pool.build({ ...input, decryption: { keys } });
    expect(built.objects).toEqual([secret]);
    // The thread keeps nothing of them for the next.
    const none = { keys: { age: [], pgp: [] } };
    await expect(pool.build({ ...input, decryption: none })).rejects.toThrow('data key');
  });

  test('that fails says the same, and the next one succeeds in the same thread', async () => {
    const pool = poolOf();
    const broken = inputOf({ 'app/kustomization.yaml': 'resources: [nope.yaml]\n' });
    const said = await buildManifests(broken).catch((error: Error) => error.message);
    await expect(pool.build(broken)).rejects.toThrow(String(said));
    await expect(pool.build(inputOf({ 'app/a.yaml': map('a') }))).resolves.toBeDefined();
  });

  test('ends when it is no longer wanted, and others go on', async () => {
    const pool = poolOf();
    const files = Object.fromEntries(
      Array.from({ length: 3000 }, (_one, index) => [`app/${index}.yaml`, map(`m${index}`)]),
    );
    const stopping = new AbortController();
    const unwanted = pool.build(inputOf(files), stopping.signal);
    const next = pool.build(inputOf({ 'app/a.yaml': map('a') }));
    stopping.abort(new Error('not wanted'));
    await expect(unwanted).rejects.toThrow('not wanted');
    expect((await next).objects).toHaveLength(1);
  });

  test('that takes too long, or too much memory, ends with its thread alone', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 6000 }, (_one, index) => [`app/${index}.yaml`, map(`m${index}`)]),
    );
    await expect(poolOf({ timeoutMs: 20 }).build(inputOf(files))).rejects.toThrow('took longer');
    await expect(poolOf({ maxMemoryMiB: 16 }).build(inputOf(files))).rejects.toThrow(
      'needs more than 16 MiB',
    );
  });
});

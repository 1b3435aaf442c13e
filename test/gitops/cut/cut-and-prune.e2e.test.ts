import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitRepositoryKind, type Kustomization, kustomizationKind } from '@waygate/gitops';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { conditionOf, configMapYaml, patience, SourceCluster } from '../source-cluster.ts';
import { WorkTree } from '../work-tree.ts';
import { CuttingServer, cutAt } from './cutting-server.ts';
import { RecordedGit } from './recorded-git.ts';

// From a git server to objects in a cluster and back: a fetch is cut, and nothing is deleted.

const names = Array.from({ length: 12 }, (_one, index) => `kept-${index}`);
let root: string;
let tree: WorkTree;
let backend: RecordedGit;
let server: CuttingServer;
let cluster: SourceCluster;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waygate-cut-prune-'));
  tree = new WorkTree(join(root, 'main'));
  backend = new RecordedGit(root);
  server = await CuttingServer.start(backend.answer);
  cluster = await SourceCluster.start({ requeueDependencyMs: 200 });
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

function push(value: string): string {
  backend.forget();
  return tree.commit(
    Object.fromEntries(names.map((name) => [`${name}.yaml`, configMapYaml(name, value)])),
  );
}

const valuesOf = () => Promise.all(names.map(async (name) => (await cluster.configMap(name))?.key));
const applied = async (value: string) =>
  vi.waitFor(async () => expect(await valuesOf()).toEqual(names.map(() => value)), patience);

async function inventorySize(): Promise<number> {
  const found = (await cluster.get(kustomizationKind, 'src')) as unknown as Kustomization;
  return found.status?.inventory?.entries.length ?? 0;
}

test('a cut fetch is told, deletes nothing, and is made up for', async () => {
  server.begin();
  const first = push('start');
  await cluster.create(gitRepositoryKind, 'src', {
    url: `http://${server.host}/main/.git`,
    interval: '1h',
    timeout: '20s',
    ref: { branch: 'main' },
  });
  await cluster.apply(gitRepositoryKind, 'src');
  await cluster.untilStored(gitRepositoryKind, 'src', `main@sha1:${first}`);
  await applied('start');
  const { sent, lastBegan } = server;
  // Most cuts are where the objects are sent, the others where it is said what there is.
  const places = [0.02, 0.3, 0.6, 0.9].map((share) => lastBegan + share * (sent - lastBegan));
  let old = 'start';
  for (const [index, place] of [lastBegan / 2, ...places].entries()) {
    const value = `cut-${index}`;
    const commit = push(value);
    server.begin({ ...cutAt(Math.floor(place), index), staysDown: true });
    await cluster.request(gitRepositoryKind, 'src');
    const cut = await cluster.get(gitRepositoryKind, 'src');
    expect(conditionOf(cut, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'GitOperationFailed',
    });
    expect(conditionOf(cut, 'FetchFailed')?.status).toBe('True');
    // The Kustomization goes on with what it has, and says so.
    expect(await valuesOf()).toEqual(names.map(() => old));
    expect(await inventorySize()).toBe(names.length);
    server.begin();
    await cluster.request(gitRepositoryKind, 'src');
    await cluster.untilStored(gitRepositoryKind, 'src', `main@sha1:${commit}`);
    await applied(value);
    old = value;
  }
  // What a commit really deletes is deleted, however much that is.
  backend.forget();
  tree.commit(Object.fromEntries(names.slice(1).map((name) => [`${name}.yaml`, undefined])));
  await cluster.request(gitRepositoryKind, 'src');
  await vi.waitFor(
    async () => expect((await valuesOf()).filter((one) => one !== undefined)).toEqual([old]),
    patience,
  );
  await vi.waitFor(async () => expect(await inventorySize()).toBe(1), patience);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { customResourceDefinitions, gitRepositoryKind, kustomizationKind } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Running, start, waygate } from '../../real/processes.ts';
import { configMapYaml } from '../source-cluster.ts';
import { WorkTree } from '../work-tree.ts';
import { CuttingServer, cutAt } from './cutting-server.ts';
import { RecordedGit } from './recorded-git.ts';

// `waygate controller` in a process of its own, killed with SIGKILL while a fetch is at some byte.
// What git had written by then is on the disk when the next one starts.

const namespace = 'default';
const names = Array.from({ length: 8 }, (_one, index) => `held-${index}`);
const patience = { timeout: 60_000, interval: 50 };
const stopping = new AbortController();
const deleted: string[] = [];
let home: string;
let tree: WorkTree;
let backend: RecordedGit;
let server: CuttingServer;
let api: TestServer;
let client: KubeClient;
let watching: Promise<unknown>;
let running: Running | undefined;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-killed-fetch-'));
  tree = new WorkTree(join(home, 'main'));
  backend = new RecordedGit(home);
  server = await CuttingServer.start(backend.answer);
  api = await startTestServer();
  const { url, adminToken } = api;
  client = new KubeClient({ server: url, namespace, credentials: staticToken(adminToken) });
  const definitions = kinds.CustomResourceDefinition as unknown as Kind<KubeObject>;
  for (const one of customResourceDefinitions()) await client.resource(definitions).create(one);
  const informer = createInformer(client, kinds.ConfigMap, {});
  informer.addEventHandler({
    onDelete: (object) => {
      deleted.push(JSON.stringify(object));
    },
  });
  watching = informer.run(stopping.signal);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: url } }],
    users: [{ name: 'test', user: { token: adminToken } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  };
  writeFileSync(join(home, 'kubeconfig'), JSON.stringify(config));
});

afterAll(async () => {
  await running?.stop('SIGKILL');
  stopping.abort();
  await watching;
  await client?.close();
  await api?.stop();
  await server?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

function begin(): Running {
  return start(process.execPath, [
    waygate,
    'controller',
    '--controllers=source,kustomize',
    `--kubeconfig=${join(home, 'kubeconfig')}`,
    `--storage-path=${join(home, 'storage')}`,
    '--storage-addr=127.0.0.1:0',
    '--metrics-addr=off',
    '--health-addr=off',
    '--requeue-dependency=200ms',
  ]);
}

function push(value: string): string {
  backend.forget();
  return tree.commit(
    Object.fromEntries(names.map((name) => [`${name}.yaml`, configMapYaml(name, value)])),
  );
}

/** A commit that came while nobody ran is noticed when asked for, and at the interval. */
async function ask(at: string): Promise<void> {
  const annotations = { 'reconcile.fluxcd.io/requestedAt': at };
  await client
    .resource(gitRepositoryKind)
    .patch('src', { metadata: { annotations } }, { namespace });
}

async function valuesNow(): Promise<(string | undefined)[]> {
  const { items } = await client.resource(kinds.ConfigMap).list({ namespace });
  return names.map((name) => items.find((one) => one.metadata.name === name)?.data?.key);
}

const applied = (value: string) =>
  vi.waitFor(
    async () => expect(await valuesNow(), running?.output()).toEqual(names.map(() => value)),
    patience,
  );

test('a controller that is killed in a fetch deletes nothing when it starts again', async () => {
  push('start');
  const url = `http://${server.host}/main/.git`;
  await client.resource(gitRepositoryKind).create({
    metadata: { name: 'src', namespace },
    spec: { url, interval: '1h', timeout: '20s', ref: { branch: 'main' } },
  });
  await client.resource(kustomizationKind).create({
    metadata: { name: 'app', namespace },
    spec: {
      interval: '1h',
      retryInterval: '200ms',
      prune: true,
      targetNamespace: namespace,
      sourceRef: { kind: 'GitRepository', name: 'src' },
    },
  });
  server.begin();
  running = begin();
  await applied('start');
  // How much is sent for one commit more.
  server.begin();
  push('measured');
  await ask('measured');
  await applied('measured');
  const { sent, lastBegan } = server;
  for (const [index, share] of [0.4, 0.75, 0.97].entries()) {
    const victim = running;
    const place = Math.floor(lastBegan + share * (sent - lastBegan));
    server.begin({ ...cutAt(place, index), staysDown: true });
    const killed = new Promise<void>((resolve) => {
      // The connection of the git that is left behind ends only after its controller did.
      server.onCut = async () => {
        await victim.stop('SIGKILL');
        resolve();
      };
    });
    const value = `killed-${index}`;
    push(value);
    await ask(value);
    await killed;
    server.onCut = () => undefined;
    expect(await valuesNow()).toEqual(
      names.map(() => (index === 0 ? 'measured' : `killed-${index - 1}`)),
    );
    server.begin();
    running = begin();
    await ask(`${value} again`);
    await applied(value);
  }
  expect(deleted).toEqual([]);
});

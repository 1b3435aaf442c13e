import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, type RunningApiServer } from '@waygate/apiserver';
import { customResourceDefinitions as gitOpsDefinitions } from '@waygate/gitops';
import {
  gatewayApiDefinitions,
  customResourceDefinitions as ingressDefinitions,
} from '@waygate/ingress';
import { KubeClient, staticToken } from '@waygate/kube';
import { type CustomResourceDefinition, defineKind, kinds } from '@waygate/schema';
import { afterAll, expect, test, vi } from 'vitest';
import { patience } from '../until.ts';

// What a server is given to start with is checked by nobody. Here it is applied to another server as well, which
// checks everything, and the two must come to the same.

const fieldManager = 'waygate-up';
const own = [...ingressDefinitions(), ...gatewayApiDefinitions(), ...gitOpsDefinitions()];
const started: { stop(): Promise<void> }[] = [];

async function start(objects: readonly CustomResourceDefinition[], dataDir?: string) {
  const server = await new ApiServer({
    ...(dataDir === undefined ? {} : { dataDir }),
    insecure: true,
    log: () => undefined,
    now: () => 1_700_000_000_000,
    definitions: { fieldManager, objects },
  }).start();
  started.push(server);
  const client = clientOf(server);
  return { server, client, definitions: client.resource(kinds.CustomResourceDefinition) };
}

/** Inside the process, as `waygate up` has it. */
function clientOf(server: RunningApiServer): KubeClient {
  return new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
    answer: server.answer,
  });
}

afterAll(async () => {
  for (const server of started) await server.stop();
});

const isAccepted = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ??
  false;

/** All that does not differ between any two servers. */
const lasting = ({ metadata, ...rest }: CustomResourceDefinition) => {
  const { uid: _uid, resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
};

test('a definition that a server starts with is as if it had been applied and accepted', async () => {
  const [given, applied] = await Promise.all([start(own), start([])]);
  expect(given.server.differentDefinitions).toEqual([]);
  for (const definition of own)
    await applied.definitions.apply(definition, { fieldManager, force: true });
  const list = async ({ definitions }: typeof given) =>
    (await definitions.list()).items.map((item) => item as CustomResourceDefinition);
  await vi.waitFor(
    async () => expect((await list(applied)).every(isAccepted)).toBe(true),
    patience,
  );
  const [got, wanted] = [await list(given), await list(applied)];
  expect(got.length).toBe(own.length);
  expect(got.map(lasting)).toEqual(wanted.map(lasting));
  const kongPlugin = defineKind({
    group: 'configuration.konghq.com',
    version: 'v1',
    kind: 'KongPlugin',
    plural: 'kongplugins',
    scope: 'Namespaced',
  });
  await expect(
    given.client
      .resource(kongPlugin)
      .create({ metadata: { name: 'a', namespace: 'default' }, plugin: 7 } as never),
  ).rejects.toThrow('plugin');
});

test('what is stored already is left to an apply, where it differs', async () => {
  const [one, two, three] = own as [
    CustomResourceDefinition,
    CustomResourceDefinition,
    CustomResourceDefinition,
  ];
  const directory = mkdtempSync(join(tmpdir(), 'waygate-definitions-'));
  try {
    const before = await start([one, two], directory);
    const kept = await before.definitions.get(one.metadata.name ?? '');
    await before.server.stop();
    const spec = { ...two.spec, names: { ...two.spec.names, categories: ['another'] } };
    const changed = { ...two, spec };
    const after = await start([one, changed, three], directory);
    expect(after.server.differentDefinitions).toEqual([changed]);
    expect(await after.definitions.get(one.metadata.name ?? '')).toEqual(kept);
    expect((await after.definitions.get(two.metadata.name ?? '')).spec.names.categories).toEqual(
      two.spec.names.categories,
    );
    await vi.waitFor(
      async () =>
        expect(isAccepted(await after.definitions.get(three.metadata.name ?? ''))).toBe(true),
      patience,
    );
    await after.server.stop();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import type { DynamicObject, KubeObject } from '@waygate/schema';
import { beforeAll, expect, test } from 'vitest';
import { workspace } from '../real/processes.ts';
import { nameOf, objectsOf, objectsOfOwn, system, workloadsOf } from './manifests.ts';

// The shard of docs/high-availability.md, as it is printed there, beside the controller that it is a
// shard of.

interface Selecting extends KubeObject {
  readonly spec?: {
    readonly selector?: Readonly<Record<string, unknown>> & { matchLabels?: object };
    readonly podSelector?: { readonly matchLabels?: object };
  };
}

let all: readonly KubeObject[];
let shard: readonly KubeObject[];

beforeAll(async () => {
  const page = readFileSync(join(workspace, 'docs/high-availability.md'), 'utf8');
  const [, text = ''] = /```yaml\n(# shards\/one\/.*?)```/su.exec(page) ?? [];
  all = await objectsOf('overlays/gitops');
  shard = await objectsOfOwn(text, 'shards/one');
});

/** What selects Pods, with the labels that it asks for. */
function selectors(objects: readonly KubeObject[]): [string, Readonly<Record<string, string>>][] {
  return (objects as Selecting[]).flatMap((object) => {
    const { selector, podSelector } = object.spec ?? {};
    const wanted = podSelector?.matchLabels ?? selector?.matchLabels ?? selector;
    const isSelecting = ['Service', 'Deployment', 'PodDisruptionBudget', 'NetworkPolicy'].includes(
      object.kind ?? '',
    );
    return isSelecting && wanted !== undefined
      ? [[nameOf(object), wanted as Readonly<Record<string, string>>]]
      : [];
  });
}

test('neither means the Pods of the other', () => {
  const labelsOf = (objects: readonly KubeObject[]) =>
    workloadsOf(objects)[0]?.spec.template.metadata.labels ?? {};
  const meaning = (objects: readonly KubeObject[], labels: Readonly<Record<string, string>>) =>
    selectors(objects)
      .filter(([, wanted]) =>
        Object.entries(wanted).every(([name, value]) => labels[name] === value),
      )
      .map(([name]) => name);
  expect(meaning(all, labelsOf(shard))).toEqual([]);
  expect(meaning(shard, labelsOf(all))).toEqual([]);
  expect(meaning(shard, labelsOf(shard))).toEqual(selectors(shard).map(([name]) => name));
  expect(selectors(shard).length).toBeGreaterThan(4);
});

test('it reconciles its own, and its artifacts are found where it says', () => {
  const args = workloadsOf(shard)[0]?.spec.template.spec.containers[0]?.args ?? [];
  expect(args).toContain('--watch-label-selector=sharding.fluxcd.io/key=one');
  const last = args.filter((one) => one.startsWith('--storage-adv-addr=')).at(-1);
  const [, service] = /=([^.]+)\./u.exec(last ?? '') ?? [];
  expect(shard.map(nameOf)).toContain(`Service/${service}`);
});

test('both are applied to one cluster, and none takes what is the other’s', async () => {
  const server = await startTestServer();
  const credentials = staticToken(server.adminToken);
  const client = new KubeClient({ server: server.url, namespace: system, credentials });
  const apply = async (objects: readonly KubeObject[]) => {
    for (const object of objects) {
      const { apiVersion = '', kind = '', metadata } = object;
      const { namespace, name = '' } = metadata;
      const resource = await client.resourceOf({ apiVersion, kind });
      await resource.apply(object as DynamicObject, { fieldManager: 'test', namespace });
      expect((await resource.get(name, { namespace })).metadata.name).toBe(name);
    }
  };
  try {
    await apply(all);
    await apply(shard);
    const shared = shard.map(nameOf).filter((name) => all.some((one) => nameOf(one) === name));
    expect(shared).toEqual([]);
  } finally {
    await client.close();
    await server.stop();
  }
});

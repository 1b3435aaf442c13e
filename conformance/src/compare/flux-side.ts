import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiServer } from '@waygate/apiserver';
import { customResourceDefinitions } from '@waygate/gitops';
import { KubeClient, loadConfig } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { fleet, fleetNamespaces, type SeededObject } from './flux-fleet.ts';
import { fluxFiles } from './flux-lines.ts';

/** A cluster with the fleet in it and a directory with the files, for one of the two programs. */
export interface FluxSide {
  readonly url: string;
  readonly directory: string;
  /** What there is now, as text; what a line has changed is made as it was. */
  restore(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an API as a client of Kubernetes wants it, over TLS, without controllers that would change anything. */
export async function startFluxSide(): Promise<FluxSide> {
  const server = await new ApiServer({ controllers: [], log: () => undefined }).start();
  const directory = mkdtempSync(join(tmpdir(), 'waygate-flux-'));
  for (const [path, text] of Object.entries(fluxFiles)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig);
  const config = await loadConfig({ kubeconfig, environment: {} });
  const first = new KubeClient(config);
  for (const definition of customResourceDefinitions())
    await seed(first, definition as SeededObject);
  await first.close();
  // It learns the kinds anew.
  const client = new KubeClient(config);
  const namespaces = fleetNamespaces.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  for (const object of [...namespaces, ...fleet]) await seed(client, object as SeededObject);
  return {
    url: server.url,
    directory,
    restore: () => restore(client),
    async stop() {
      await client.close();
      await server.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

async function seed(client: KubeClient, object: SeededObject): Promise<void> {
  const { status, ...rest } = object;
  const resource = await client.resourceOf(object);
  await resource.create(rest as never);
  if (status === undefined || object.metadata.namespace === undefined) return;
  const { name = '', namespace } = object.metadata;
  await resource.status.patch(name, { status } as never, { namespace });
}

/** JSON in which the order of fields does not count. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part === null || typeof part !== 'object' || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

type Found = KubeObject & { readonly spec?: unknown; readonly data?: unknown };

const keyOf = ({ kind, metadata }: KubeObject): string =>
  `${kind}/${metadata.namespace}/${metadata.name}`;

async function restore(client: KubeClient): Promise<string> {
  const seen: string[] = [];
  const missing = new Map(fleet.map((object) => [keyOf(object), object]));
  const examples = new Map(fleet.map((object) => [object.kind, object]));
  for (const example of examples.values()) {
    const resource = await client.resourceOf(example);
    for (const found of (await resource.list()).items as Found[]) {
      const { kind = example.kind, metadata, spec, data } = found;
      const { name = '', namespace = '', labels, annotations, generation = 1 } = metadata;
      if (!fleetNamespaces.includes(namespace)) continue;
      const key = keyOf({ ...found, kind } as KubeObject);
      const seeded = fleet.find((object) => keyOf(object) === key);
      seen.push(canonicalText([key, labels, annotations, spec, data]));
      missing.delete(key);
      if (seeded !== undefined && generation === 1 && annotations === undefined) continue;
      await resource.delete(name, { namespace });
      if (seeded !== undefined) await seed(client, seeded);
    }
  }
  for (const gone of missing.values()) await seed(client, gone);
  return seen.sort().join('\n');
}

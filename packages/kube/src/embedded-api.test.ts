import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, type RunningApiServer } from '@waygate/apiserver';
import { type ConfigMap, defineKind, type KubeObject, kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/until.ts';
import { KubeClient } from './client.ts';
import { staticToken } from './config/credentials.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNoMatch,
  isNotFound,
} from './error-predicate.ts';
import { loadConfig } from './kubeconfig/load-config.ts';

let server: RunningApiServer;
let client: KubeClient;
let directory = '';
const namespace = 'default';

/** By the network a person's way, with TLS and the kubeconfig that the server writes; inside, that of `waygate up`. */
const ways = {
  'by the network': async () => {
    directory = await mkdtemp(join(tmpdir(), 'waygate-kube-'));
    const kubeconfig = join(directory, 'config');
    await writeFile(kubeconfig, server.kubeconfig);
    return new KubeClient(await loadConfig({ kubeconfig }));
  },
  'inside the process': async () =>
    new KubeClient({
      server: server.url,
      namespace,
      credentials: staticToken(server.adminToken),
      answer: server.answer,
    }),
};

const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, namespace },
  data,
});

describe.each(Object.entries(ways))('a Kubernetes API, %s', (_way, connect) => {
  beforeAll(async () => {
    server = await new ApiServer({ log: () => undefined }).start();
    client = await connect();
  });

  afterAll(async () => {
    await client.close();
    await server.stop();
    if (directory !== '') await rm(directory, { recursive: true, force: true });
  });

  it('keeps objects through their life', async () => {
    const maps = client.resource(kinds.ConfigMap);
    const created = await maps.create(configMap('life', { a: '1' }));
    expect(created).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
    await expect(maps.create(configMap('life'))).rejects.toSatisfy(isAlreadyExists);
    const updated = await maps.update({ ...created, data: { a: '2' } });
    await expect(maps.update({ ...created, data: { a: '3' } })).rejects.toSatisfy(isConflict);
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    const merged = await maps.patch('life', { data: { b: '1', a: null } }, { namespace });
    expect(merged.data).toEqual({ b: '1' });
    const operations = [{ op: 'replace' as const, path: '/data/b', value: '2' }];
    expect((await maps.patch('life', operations, { namespace, type: 'json' })).data).toEqual({
      b: '2',
    });
    const strategic = { metadata: { labels: { x: 'y' } } };
    await maps.patch('life', strategic, { namespace, type: 'strategic' });
    expect((await maps.get('life', { namespace })).metadata.labels).toEqual({ x: 'y' });
    await maps.delete('life', { namespace });
    await expect(maps.get('life', { namespace })).rejects.toSatisfy(isNotFound);
  });

  it('applies fields for their managers', async () => {
    const maps = client.resource(kinds.ConfigMap).in(namespace);
    await maps.apply(configMap('applied', { a: '1' }), { fieldManager: 'one' });
    const other = maps.apply(configMap('applied', { a: '2' }), { fieldManager: 'two' });
    await expect(other).rejects.toSatisfy(isConflict);
    const forced = await maps.apply(configMap('applied', { a: '2' }), {
      fieldManager: 'two',
      force: true,
    });
    expect(forced.data).toEqual({ a: '2' });
  });

  it('lists in pages, by labels, as metadata, as a table, and watches', async () => {
    const maps = client.resource(kinds.ConfigMap).in(namespace);
    for (let at = 0; at < 7; at++) {
      const one = configMap(`many-${at}`, { text: 'é🚀' });
      await maps.create({ ...one, metadata: { ...one.metadata, labels: { set: 'many' } } });
    }
    const options = { labelSelector: 'set=many', limit: 3 };
    const sizes: number[] = [];
    for await (const page of maps.listPages(options)) sizes.push(page.items.length);
    expect(sizes).toEqual([3, 3, 1]);
    const all = await maps.listAll(options);
    expect(all.items[6]).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { text: 'é🚀' },
    });
    const partial = await maps.metadata().list(options);
    expect(partial.items[0]?.metadata.name).toBe('many-0');
    expect(partial.items[0]).not.toHaveProperty('data');
    expect((await maps.table(options)).rows).toHaveLength(3);
    const seen: string[] = [];
    const watch = await maps.watch({
      labelSelector: 'set=many',
      resourceVersion: all.resourceVersion,
    });
    await maps.patch('many-3', { data: { text: 'new' } });
    await maps.deleteCollection({ labelSelector: 'set=many' });
    for await (const event of watch) {
      if (event.type === 'ERROR') throw new Error('unexpected');
      seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === 8) break;
    }
    expect(seen[0]).toBe('MODIFIED many-3');
    expect(seen.filter((line) => line.startsWith('DELETED'))).toHaveLength(7);
  });

  it('tells what it serves, also what was added', async () => {
    expect((await client.discovery.serverVersion()).major).toBe('1');
    const deployments = await client.mapper.resourceNamed('deploy');
    expect(deployments).toMatchObject({ group: 'apps', version: 'v1', scope: 'Namespaced' });
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
    await expect(client.resourceOf(widget)).rejects.toSatisfy(isNoMatch);
    await client.resource(kinds.CustomResourceDefinition).create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', properties: { size: { type: 'integer', maximum: 5 } } },
                },
              },
            },
          },
        ],
      },
    });
    await until('widgets are served', () => {
      client.mapper.invalidate();
      return client.resourceOf(widget).catch(() => undefined);
    });
    interface Widget extends KubeObject {
      spec: { size: number };
    }
    const widgets = client
      .resource(
        defineKind<Widget>({
          group: 'example.com',
          version: 'v1',
          kind: 'Widget',
          plural: 'widgets',
          scope: 'Namespaced',
        }),
      )
      .in(namespace);
    const made = await widgets.create({ metadata: { generateName: 'w-' }, spec: { size: 3 } });
    expect(made.spec.size).toBe(3);
    const tooLarge = widgets.create({ metadata: { name: 'large' }, spec: { size: 9 } });
    await expect(tooLarge).rejects.toSatisfy(isInvalid);
  });

  it('checks whom it is told to act as', async () => {
    const jane = new KubeClient({ ...client.config, impersonation: { user: 'jane' } });
    await expect(jane.resource(kinds.Secret).list()).rejects.toSatisfy(isForbidden);
    await jane.close();
  });

  it('answers requests that have no method here', async () => {
    expect(await client.text({ method: 'GET', path: '/readyz' })).toContain('ok');
  });
});

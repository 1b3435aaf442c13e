import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { createInformer, createInformerFactory } from './create-informer.ts';
import { lastKnownState } from './deleted-final-state-unknown.ts';

interface Pod {
  readonly metadata: Record<string, unknown> & { name: string; resourceVersion: string };
}

/** A server on a socket that lists in pages and whose watches the test writes by hand. */
class PodServer {
  readonly requests: URL[] = [];
  readonly watches: ServerResponse[] = [];
  pods: Pod[] = [];
  version = 1;
  #server: Server | undefined;

  async listen(): Promise<string> {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url!, 'http://server');
      this.requests.push(url);
      if (url.searchParams.get('watch')) this.#open(response, url);
      else this.#list(response, url);
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  send(type: string, object: unknown): void {
    this.watches.at(-1)!.write(`${JSON.stringify({ type, object })}\n`);
  }

  #open(response: ServerResponse, url: URL): void {
    if (url.searchParams.get('sendInitialEvents')) {
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid', message: 'no' }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.watches.push(response);
  }

  #list(response: ServerResponse, url: URL): void {
    const start = Number(url.searchParams.get('continue') ?? 0);
    const end = Math.min(start + 2, this.pods.length);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: String(this.version),
          ...(end < this.pods.length ? { continue: String(end) } : {}),
        },
        items: this.pods.slice(start, end),
      }),
    );
  }
}

const pod = (name: string, resourceVersion: string, more: object = {}): Pod => ({
  metadata: {
    name,
    namespace: 'shop',
    resourceVersion,
    labels: { app: name },
    managedFields: [{ manager: 'test' }],
    ...more,
  },
});

describe('an informer over a socket', () => {
  const server = new PodServer();
  let client: KubeClient;
  let abort: AbortController;

  beforeEach(async () => {
    server.pods = [pod('a', '1'), pod('b', '2'), pod('naïve-日本語', '3')];
    server.requests.length = 0;
    server.watches.length = 0;
    server.version = 3;
    client = new KubeClient({ server: await server.listen(), namespace: 'default' });
    abort = new AbortController();
  });

  afterEach(async () => {
    abort.abort();
    await client.close();
    await server.close();
  });

  test('keeps the order of events that come at once, each through the transform', async () => {
    const informer = createInformer(client, kinds.Pod, {
      useWatchList: false,
      transform: (object) => {
        if (object.metadata.name === 'b') throw new Error('not this one');
        return { ...object, metadata: { ...object.metadata, managedFields: undefined } } as never;
      },
      onError: () => {},
    });
    const seen: string[] = [];
    const note = (name: string | undefined, fields: unknown) =>
      void seen.push(fields === undefined ? `${name}` : `${name} as it came`);
    informer.addEventHandler({
      onAdd: ({ metadata }) => note(`add ${metadata.name}`, metadata.managedFields),
      onUpdate: (_old, { metadata }) =>
        note(`update ${metadata.name} ${metadata.resourceVersion}`, metadata.managedFields),
      onDelete: (deleted) => void seen.push(`delete ${lastKnownState(deleted)?.metadata.name}`),
    });
    const running = informer.run(abort.signal);
    await informer.waitForSync(abort.signal);
    await until('a watch', () => server.watches.length === 1);
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ type: 'MODIFIED', object: pod('a', String(index + 4)) }),
    );
    lines.push(JSON.stringify({ type: 'DELETED', object: pod('a', '900') }));
    server.watches[0]!.write(`${lines.join('\n')}\n`);
    await until('the deletion', () => seen.at(-1) === 'delete a');
    expect(seen).toEqual([
      'add a',
      'add naïve-日本語',
      ...Array.from({ length: 300 }, (_, index) => `update a ${index + 4}`),
      'delete a',
    ]);
    abort.abort();
    await running;
  });

  test('falls back to pages, follows the watch, and goes on after a cut', async () => {
    const informer = createInformer(client, kinds.Pod, {
      namespace: 'shop',
      labelSelector: 'team=web',
      omitManagedFields: true,
      onError: () => {},
    });
    const seen: string[] = [];
    informer.addEventHandler({
      onAdd: ({ metadata }, isInitial) => void seen.push(`add ${metadata.name} ${isInitial}`),
      onUpdate: (old, { metadata }) =>
        void seen.push(`update ${metadata.name} ${old.metadata.resourceVersion}`),
      onDelete: (deleted) => void seen.push(`delete ${lastKnownState(deleted)?.metadata.name}`),
    });
    const running = informer.run(abort.signal);
    expect(await informer.waitForSync(abort.signal)).toBe(true);
    await until('a watch', () => server.watches.length === 1);
    server.send('MODIFIED', pod('a', '4'));
    await until('version 4', () => informer.lastSyncResourceVersion === '4');
    // In the middle of a line.
    server.watches[0]!.write('{"type":"ADDED","object":{"metadata":{"na');
    server.watches[0]!.destroy();
    await until('another watch', () => server.watches.length === 2);
    server.send('DELETED', pod('b', '5'));
    await until('two Pods', () => informer.indexer.size === 2);
    expect(seen).toEqual([
      'add a true',
      'add b true',
      'add naïve-日本語 true',
      'update a 1',
      'delete b',
    ]);
    expect(informer.indexer.getByKey('shop/a')?.metadata).not.toHaveProperty('managedFields');
    const watched = server.requests.filter(({ searchParams }) => searchParams.get('watch'));
    expect(watched.at(-1)!.pathname).toBe('/api/v1/namespaces/shop/pods');
    expect(watched.at(-1)!.searchParams.get('resourceVersion')).toBe('4');
    expect(watched.at(-1)!.searchParams.get('labelSelector')).toBe('team=web');
    abort.abort();
    await running;
  });

  test('keeps bytes, and parses what is read', async () => {
    const informer = createInformer(client, kinds.Pod, {
      store: 'bytes',
      omitManagedFields: true,
      useWatchList: false,
      indexers: { app: (object) => [object.labels.app ?? ''] },
    });
    const updates: string[] = [];
    informer.addEventHandler({
      onUpdate: (old, object) =>
        void updates.push(`${old.resourceVersion}→${object.resourceVersion}`),
    });
    const running = informer.run(abort.signal);
    await informer.waitForSync(abort.signal);
    await until('a watch', () => server.watches.length === 1);
    server.send('MODIFIED', pod('a', '4', { annotations: { note: '"}{' } }));
    server.send('BOOKMARK', { metadata: { resourceVersion: '9' } });
    await until(
      'version 9',
      () => informer.lastSyncResourceVersion === '9' && updates.length === 1,
    );
    expect(updates).toEqual(['1→4']);
    const [found] = informer.indexer.byIndex('app', 'naïve-日本語');
    expect(found?.key).toBe('shop/naïve-日本語');
    expect([found?.namespace, found?.name]).toEqual(['shop', 'naïve-日本語']);
    const read = informer.indexer.getByKey('shop/a')!.read();
    expect(read).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } });
    expect(read.metadata).not.toHaveProperty('managedFields');
    expect(read.metadata.annotations).toEqual({ note: '"}{' });
    abort.abort();
    await running;
  });

  test('stops, and goes on where it stopped', async () => {
    const informer = createInformer(client, kinds.Pod, { useWatchList: false });
    const seen: string[] = [];
    informer.addEventHandler({
      onAdd: ({ metadata }) => void seen.push(`add ${metadata.name}`),
      onUpdate: (_, { metadata }) => void seen.push(`update ${metadata.name}`),
      onDelete: (deleted) => void seen.push(`delete ${lastKnownState(deleted)?.metadata.name}`),
    });
    const first = new AbortController();
    const running = informer.run(first.signal);
    await informer.waitForSync();
    first.abort();
    await running;
    seen.length = 0;
    server.pods = [pod('a', '1'), pod('b', '7'), pod('c', '8')];
    server.version = 8;
    const again = informer.run(abort.signal);
    await until('three changes', () => seen.length === 3);
    expect(seen.sort()).toEqual(['add c', 'delete naïve-日本語', 'update b']);
    abort.abort();
    await again;
  });

  test('a factory makes one informer a kind and stops them all', async () => {
    const factory = createInformerFactory(client, { useWatchList: false });
    const pods = factory.informerFor(kinds.Pod);
    expect(factory.informerFor(kinds.Pod)).toBe(pods);
    factory.start(abort.signal);
    factory.start(abort.signal);
    expect(await factory.waitForCacheSync()).toBe(true);
    expect(pods.indexer.size).toBe(3);
    await factory.shutdown();
    expect(pods.isStopped).toBe(true);
    expect(() => factory.informerFor(kinds.ConfigMap)).toThrow(/shut down/);
  });
});

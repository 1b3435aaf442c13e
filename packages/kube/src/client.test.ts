import { gzipSync } from 'node:zlib';
import { kinds, type Pod } from '@waygate/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, ScriptedServer, sendJson, until } from '../test/scripted-server.ts';
import { KubeClient, type KubeClientOptions } from './client.ts';
import { KubeError } from './error.ts';
import {
  isConflict,
  isConnectionRefused,
  isConnectionReset,
  isExpired,
  isFenced,
  isNotFound,
  isTimeout,
  isTooManyRequests,
} from './error-predicate.ts';

const running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

async function serve(answer: Answer, options: KubeClientOptions = {}) {
  const server = await ScriptedServer.start(answer);
  const client = new KubeClient(
    { server: server.url, namespace: 'default' },
    { environment: {}, ...options },
  );
  running.push(server, client);
  return { server, client, pods: client.resource(kinds.Pod) };
}

function podList(count: number, extra: object = {}) {
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7', ...extra },
    items: Array.from({ length: count }, (_, at) => ({ metadata: { name: `pod-ü-${at}` } })),
  };
}

const line = (type: string, name: string) =>
  `${JSON.stringify({ type, object: { kind: 'Pod', metadata: { name } } })}\n`;

describe('requests', () => {
  it('addresses objects, subresources and options', async () => {
    const { server, client, pods } = await serve((response) =>
      sendJson(response, { metadata: {} }),
    );
    const pod: Pod = { metadata: { name: 'a', namespace: 'ns' } };
    await pods.get('a', { namespace: 'ns', resourceVersion: '0' });
    await pods.create(pod, { dryRun: true, fieldManager: 'm' });
    await pods.update(pod);
    await pods.updateStatus(pod);
    await pods.patch('a', [{ op: 'remove', path: '/x' }], { namespace: 'ns', type: 'json' });
    await pods.patch('a', {}, { namespace: 'ns', type: 'strategic' });
    await pods.in('ns').patch('a', {});
    await pods.apply(pod, { fieldManager: 'm', force: true });
    await pods.delete('a', {
      namespace: 'ns',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    });
    await pods.in('ns').deleteCollection({ labelSelector: 'a=b' });
    await pods.subresource('eviction').create('a', { kind: 'Eviction' }, { namespace: 'ns' });
    await client.resource(kinds.Deployment).scale.get('d', { namespace: 'ns' });
    await client.resource(kinds.Node).get('n');
    await client.resource(kinds.Ingress).list();
    const seen = server.requests.map((one) => `${one.method} ${one.url}`);
    expect(seen).toEqual([
      'GET /api/v1/namespaces/ns/pods/a?resourceVersion=0',
      'POST /api/v1/namespaces/ns/pods?dryRun=All&fieldManager=m',
      'PUT /api/v1/namespaces/ns/pods/a',
      'PUT /api/v1/namespaces/ns/pods/a/status',
      'PATCH /api/v1/namespaces/ns/pods/a',
      'PATCH /api/v1/namespaces/ns/pods/a',
      'PATCH /api/v1/namespaces/ns/pods/a',
      'PATCH /api/v1/namespaces/ns/pods/a?fieldManager=m&force=true',
      'DELETE /api/v1/namespaces/ns/pods/a',
      'DELETE /api/v1/namespaces/ns/pods?labelSelector=a%3Db',
      'POST /api/v1/namespaces/ns/pods/a/eviction',
      'GET /apis/apps/v1/namespaces/ns/deployments/d/scale',
      'GET /api/v1/nodes/n',
      'GET /apis/networking.k8s.io/v1/ingresses',
    ]);
    expect(server.requests.slice(4, 8).map((one) => one.headers['content-type'])).toEqual([
      'application/json-patch+json',
      'application/strategic-merge-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
    });
    expect(JSON.parse(server.requests[8]?.body ?? '')).toMatchObject({
      kind: 'DeleteOptions',
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    });
  }, 10_000);

  it.each(['../secrets', 'a/b', '..', '', 'a%2fb'])('refuses the name %j', async (name) => {
    const { pods, server } = await serve((response) => sendJson(response, {}));
    await expect(pods.get(name, { namespace: 'ns' })).rejects.toThrow(/cannot be the name/);
    expect(server.requests).toHaveLength(0);
  });

  it('asks for a namespace where there must be one', async () => {
    const { pods } = await serve((response) => sendJson(response, {}));
    await expect(pods.get('a')).rejects.toThrow(/give one/);
  });

  it('gives typed errors with the word of the API', async () => {
    const status = (code: number, reason: string) => ({
      kind: 'Status',
      status: 'Failure',
      code,
      reason,
      message: `it is ${reason}`,
    });
    const answers = [
      { code: 404, body: status(404, 'NotFound') },
      { code: 409, body: status(409, 'Conflict') },
      { code: 410, body: status(410, 'Expired') },
      { code: 502, body: 'bad gateway' },
    ];
    const { pods } = await serve((response) => {
      const { code, body } = answers.shift() as (typeof answers)[0];
      sendJson(response, body, code);
    });
    const errors = [];
    for (let at = 0; at < 4; at++) errors.push(await pods.list().catch((error: unknown) => error));
    expect(isNotFound(errors[0])).toBe(true);
    expect((errors[0] as Error).message).toBe('it is NotFound');
    expect(isConflict(errors[1])).toBe(true);
    expect(isExpired(errors[2])).toBe(true);
    expect(errors[3]).toMatchObject({ code: 'WG_KUBE_API', statusCode: 502 });
  });

  it('surfaces warnings', async () => {
    const warnings: string[] = [];
    const { pods } = await serve(
      (response) => {
        response.setHeader('warning', ['299 - "use \\"v2\\""', '299 - "one", 299 - "two"']);
        sendJson(response, podList(0));
      },
      { onWarning: (warning) => warnings.push(warning.text) },
    );
    await pods.list();
    expect(warnings).toEqual(['use "v2"', 'one', 'two']);
  });
});

describe('retries', () => {
  it('waits as Retry-After says, for any verb', async () => {
    const waits: number[] = [];
    const codes = [429, 503, 200];
    const { pods, server } = await serve(
      (response) => {
        const code = codes.shift() as number;
        if (code !== 200) response.setHeader('retry-after', code === 429 ? '1' : '2');
        sendJson(response, { metadata: {} }, code);
      },
      { sleep: async (ms) => void waits.push(ms) },
    );
    await pods.in('a').create({ metadata: { name: 'x' } });
    expect(waits).toEqual([1000, 2000]);
    expect(server.requests).toHaveLength(3);
  });

  it('gives up after eleven tries, with the last answer', async () => {
    const { pods, server } = await serve(
      (response) => {
        response.setHeader('retry-after', '1');
        sendJson(response, {}, 429);
      },
      { sleep: async () => {} },
    );
    await expect(pods.list()).rejects.toSatisfy(isTooManyRequests);
    expect(server.requests).toHaveLength(11);
  });

  it('does not retry a 500 without Retry-After', async () => {
    const { pods, server } = await serve((response) => sendJson(response, {}, 500));
    await expect(pods.list()).rejects.toThrow(KubeError);
    expect(server.requests).toHaveLength(1);
  });

  it('retries a reset of a read after a second, of a write never', async () => {
    const waits: number[] = [];
    let cuts = 1;
    const { pods, server } = await serve(
      (response, _request, raw) => {
        if (cuts-- > 0) raw.socket.destroy();
        else sendJson(response, podList(1));
      },
      { sleep: async (ms) => void waits.push(ms) },
    );
    expect((await pods.list()).items).toHaveLength(1);
    expect(waits).toEqual([1000]);
    cuts = 1;
    const writing = pods.in('a').create({ metadata: { name: 'x' } });
    await expect(writing).rejects.toSatisfy(isConnectionReset);
    expect(server.requests).toHaveLength(3);
  });

  it('tries a watch again that was not answered in time', async () => {
    let silent = 1;
    const { pods, server } = await serve(
      (response) => {
        if (silent-- > 0) return;
        response.writeHead(200);
        response.end(line('ADDED', 'a'));
      },
      { idleTimeoutMs: 60, sleep: async () => {} },
    );
    const names: (string | undefined)[] = [];
    for await (const event of await pods.watch({}))
      if (event.type === 'ADDED') names.push(event.object.metadata.name);
    expect(names).toEqual(['a']);
    expect(server.requests).toHaveLength(2);
  });

  it('gives up on a server that takes the request and never answers', async () => {
    const { pods } = await serve(() => {}, { idleTimeoutMs: 100 });
    await expect(pods.in('a').create({ metadata: { name: 'x' } })).rejects.toSatisfy(isTimeout);
  });

  it('tells a refused connection', async () => {
    const { pods, server } = await serve((response) => sendJson(response, {}));
    await server.close();
    await expect(pods.list()).rejects.toSatisfy(isConnectionRefused);
  });

  it('stops waiting when the caller gives up', async () => {
    const { pods, server } = await serve((response) => {
      response.setHeader('retry-after', '60');
      sendJson(response, {}, 429);
    });
    const controller = new AbortController();
    const listing = pods.list({}, { signal: controller.signal });
    listing.catch(() => {});
    await until(() => server.requests.length === 1, 'the first try');
    controller.abort(new Error('enough'));
    await expect(listing).rejects.toThrow('enough');
  });
});

describe('a fence', () => {
  it('lets reads through, and writes only while it is open', async () => {
    let isOpen = true;
    const { client, server } = await serve((response) => sendJson(response, { metadata: {} }));
    const fenced = client.fenced(() => isOpen).resource(kinds.Pod);
    await fenced.in('a').create({ metadata: { name: 'x' } });
    isOpen = false;
    await expect(fenced.in('a').create({ metadata: { name: 'x' } })).rejects.toSatisfy(isFenced);
    await expect(fenced.in('a').delete('x')).rejects.toSatisfy(isFenced);
    await fenced.in('a').get('x');
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    // Who has the client itself is not concerned.
    await client.resource(kinds.Pod).in('a').delete('x');
  });

  it('closes between the tries of one call', async () => {
    let isOpen = true;
    const { client, server } = await serve(
      (response) => {
        response.setHeader('retry-after', '1');
        sendJson(response, {}, 429);
      },
      {
        sleep: async () => {
          isOpen = false;
        },
      },
    );
    const pods = client.fenced(() => isOpen).resource(kinds.Pod);
    await expect(pods.in('a').create({ metadata: { name: 'x' } })).rejects.toSatisfy(isFenced);
    expect(server.requests).toHaveLength(1);
  });

  it('holds in a fence around a fence', async () => {
    let isOuterOpen = true;
    const { client } = await serve((response) => sendJson(response, { metadata: {} }));
    const inner = client.fenced(() => isOuterOpen).fenced(() => true);
    await inner.resource(kinds.Pod).in('a').delete('x');
    isOuterOpen = false;
    await expect(inner.resource(kinds.Pod).in('a').delete('x')).rejects.toSatisfy(isFenced);
  });
});

describe('lists', () => {
  it('streams a list in pieces of any size and says what its items are', async () => {
    const bytes = Buffer.from(JSON.stringify(podList(50)));
    const { pods } = await serve(async (response) => {
      response.writeHead(200);
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        if (at % 70 === 0) await new Promise(setImmediate);
      }
      response.end();
    });
    const page = await pods.list();
    expect(page.items.map((item) => item.metadata.name)).toEqual(
      podList(50).items.map((item) => item.metadata.name),
    );
    expect(page.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
    expect(page).toMatchObject({ resourceVersion: '7', continue: '', kind: 'PodList' });
  });

  it('reads gzip', async () => {
    const { pods, server } = await serve((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(podList(2000))));
    });
    expect((await pods.list()).items).toHaveLength(2000);
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('follows pages, with the token alone', async () => {
    const { pods, server } = await serve((response, request) => {
      sendJson(response, podList(2, request.url.includes('continue=') ? {} : { continue: 'more' }));
    });
    const all = await pods.listAll({ resourceVersion: '0', limit: 2, labelSelector: 'a' });
    expect(all.items).toHaveLength(4);
    expect(server.requests.map((one) => one.url)).toEqual([
      '/api/v1/pods?labelSelector=a&resourceVersion=0&limit=2',
      '/api/v1/pods?labelSelector=a&limit=2&continue=more',
    ]);
  });

  it('lists whole when the pages expire midway', async () => {
    const { pods, server } = await serve((response, request) => {
      if (request.url.includes('continue='))
        sendJson(response, { kind: 'Status', reason: 'Expired', code: 410 }, 410);
      else
        sendJson(response, podList(3, request.url.includes('limit') ? { continue: 'more' } : {}));
    });
    expect((await pods.listAll()).items).toHaveLength(3);
    expect(server.requests).toHaveLength(3);
  });

  it('fails on a list that is cut, also under gzip', async () => {
    const bytes = gzipSync(JSON.stringify(podList(3000)));
    const plain = Buffer.from(JSON.stringify(podList(3000)));
    const { pods } = await serve((response, _request, raw) => {
      const isGzip = response.req.url?.includes('limit') === true;
      response.writeHead(200, isGzip ? { 'content-encoding': 'gzip' } : {});
      response.write((isGzip ? bytes : plain).subarray(0, 4000), () => raw.socket.destroy());
    });
    await expect(pods.list()).rejects.toSatisfy(isConnectionReset);
    await expect(pods.list({ limit: 1 })).rejects.toMatchObject({ code: 'WG_KUBE_CONNECTION' });
  });

  it('fails on an answer that ends well but is no whole list', async () => {
    const { pods } = await serve((response) => {
      response.end('{"items":[{"metadata":{}}');
    });
    await expect(pods.list()).rejects.toMatchObject({ code: 'WG_KUBE_DECODE' });
  });

  it('drops managedFields before parsing when asked', async () => {
    const { pods } = await serve((response) =>
      sendJson(response, {
        items: [{ metadata: { name: 'a', managedFields: [{ manager: 'm' }], labels: { a: 'b' } } }],
      }),
    );
    const page = await pods.list({}, { omitManagedFields: true });
    expect(page.items[0]?.metadata).toEqual({ name: 'a', labels: { a: 'b' } });
  });

  it('ends a list that takes too long', async () => {
    const { pods } = await serve((response) => {
      response.writeHead(200);
      response.write('{"items":[');
    });
    await expect(pods.list({}, { timeoutMs: 50 })).rejects.toSatisfy(isTimeout);
  });

  it('asks for metadata and tables', async () => {
    const { pods, server } = await serve((response) => sendJson(response, podList(1)));
    const page = await pods.metadata().list();
    expect(page.items[0]?.kind).toBe('PartialObjectMetadata');
    await pods.table();
    expect(server.requests.map((one) => one.headers.accept?.split(';')[1])).toEqual([
      'as=PartialObjectMetadataList',
      'as=Table',
    ]);
  });
});

describe('watches', () => {
  it('resolves when accepted, then gives events and ends with the stream', async () => {
    const { pods, server } = await serve((response) => {
      response.writeHead(200);
      response.write(line('ADDED', 'a'));
      response.end(line('DELETED', 'a'));
    });
    const types: string[] = [];
    const options = {
      namespace: 'ns',
      resourceVersion: '5',
      allowWatchBookmarks: true,
      timeoutSeconds: 9,
    };
    for await (const event of await pods.watch(options)) types.push(event.type);
    expect(types).toEqual(['ADDED', 'DELETED']);
    expect(server.requests[0]?.url).toBe(
      '/api/v1/namespaces/ns/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=9',
    );
  });

  it('throws what stands against opening', async () => {
    const { pods } = await serve((response) =>
      sendJson(response, { kind: 'Status', reason: 'Expired', code: 410 }, 410),
    );
    await expect(pods.watch()).rejects.toSatisfy(isExpired);
  });

  it('throws when the connection is cut', async () => {
    const { pods } = await serve((response, _request, raw) => {
      response.writeHead(200);
      response.write(line('ADDED', 'a'), () => raw.socket.destroy());
    });
    const reading = (async () => {
      for await (const _ of await pods.watch());
    })();
    await expect(reading).rejects.toSatisfy(isConnectionReset);
  });

  it('gives up on a silent connection', async () => {
    const { pods, server } = await serve((response) => {
      response.writeHead(200);
      response.write(line('ADDED', 'a'));
    });
    const reading = (async () => {
      for await (const _ of await pods.watch({}, { idleTimeoutMs: 60 }));
    })();
    await expect(reading).rejects.toSatisfy(isTimeout);
    await until(() => server.sockets.size === 0, 'the connection to be closed');
  });

  it('ends quietly on abort and on leaving the loop, and leaves no listener and no socket', async () => {
    const { pods, server } = await serve((response) => {
      response.writeHead(200);
      response.write(line('ADDED', 'a'));
    });
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    for await (const _ of await pods.watch({}, { signal })) break;
    await until(() => server.sockets.size === 0 && listeners === 0, 'the first watch to be gone');
    const names: unknown[] = [];
    for await (const event of await pods.watch({}, { signal })) {
      names.push(event.object);
      controller.abort();
    }
    expect(names).toHaveLength(1);
    await until(() => server.sockets.size === 0, 'the second watch to be gone');
  });

  it('pushes back on the socket when the reader is slow', async () => {
    let written = 0;
    let isPushedBack = false;
    const event = Buffer.from(line('ADDED', 'x'.repeat(10_000)));
    const { pods } = await serve(async (response, _request, raw) => {
      response.writeHead(200);
      while (!raw.socket.destroyed && written < 200_000_000) {
        written += event.length;
        if (response.write(event)) continue;
        const drained = new Promise<boolean>((resolve) => {
          response.once('drain', () => resolve(true));
          setTimeout(() => resolve(false), 300);
        });
        if (!(await drained)) {
          isPushedBack = true;
          return;
        }
      }
    });
    const stream = await pods.watch();
    for await (const _ of stream) {
      await until(() => isPushedBack, 'the server to be held up');
      break;
    }
    expect(written).toBeLessThan(100_000_000);
  });
});

describe('many calls', () => {
  it('limits requests a second', async () => {
    const waits: number[] = [];
    const { pods } = await serve((response) => sendJson(response, podList(0)), {
      // So few that the time which a busy machine takes for a request is nothing beside it.
      qps: 0.01,
      burst: 2,
      sleep: async (ms) => void waits.push(ms),
    });
    for (let at = 0; at < 4; at++) await pods.list();
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThan(50_000);
    expect(waits[0]).toBeLessThanOrEqual(100_000);
  });

  it('does not let watches take the connections of requests', async () => {
    const { pods } = await serve(
      (response, request) => {
        if (!request.url.includes('watch')) sendJson(response, podList(1));
        else {
          response.writeHead(200);
          response.write(line('ADDED', 'a'));
        }
      },
      { maxConnections: 1 },
    );
    const controller = new AbortController();
    const { signal } = controller;
    const watches = await Promise.all(Array.from({ length: 20 }, () => pods.watch({}, { signal })));
    expect((await pods.list()).items).toHaveLength(1);
    controller.abort();
    for (const watch of watches) for await (const _ of watch);
  });
});

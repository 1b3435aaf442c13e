import { kinds, type Pod } from '@waygate/schema';
import { describe, expect, it } from 'vitest';
import { sendJson } from '../test/scripted-server.ts';
import { endServedAfterEach, line, podList, serve } from '../test/served-client.ts';
import { isConflict, isExpired, isFenced, isNotFound } from './error-predicate.ts';

endServedAfterEach();

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

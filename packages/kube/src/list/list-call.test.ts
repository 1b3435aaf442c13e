import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sendJson } from '../../test/scripted-server.ts';
import { endServedAfterEach, podList, serve } from '../../test/served-client.ts';
import { isConnectionReset, isTimeout } from '../error-predicate.ts';

endServedAfterEach();

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

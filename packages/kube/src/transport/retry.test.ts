import { describe, expect, it } from 'vitest';
import { until } from '../../../../test/until.ts';
import { sendJson } from '../../test/scripted-server.ts';
import { endServedAfterEach, line, podList, serve } from '../../test/served-client.ts';
import { KubeError } from '../error.ts';
import {
  isConnectionRefused,
  isConnectionReset,
  isTimeout,
  isTooManyRequests,
} from '../error-predicate.ts';

endServedAfterEach();

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
    await until('the first try', () => server.requests.length === 1);
    controller.abort(new Error('enough'));
    await expect(listing).rejects.toThrow('enough');
  });
});

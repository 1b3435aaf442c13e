import { describe, expect, it, vi } from 'vitest';
import { until } from '../../../../test/until.ts';
import { sendJson } from '../../test/scripted-server.ts';
import { endServedAfterEach, line, serve } from '../../test/served-client.ts';
import { isConnectionReset, isExpired, isTimeout } from '../error-predicate.ts';
import type { WatchOptions } from '../list-options.ts';

endServedAfterEach();

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

  it.each<[string, WatchOptions, { idleTimeoutMs?: number }, number[]]>([
    ['without bookmarks', {}, {}, [600_000]],
    [
      'with bookmarks, one of which comes every minute',
      { allowWatchBookmarks: true },
      {},
      [150_000],
    ],
    ['as it is told', { allowWatchBookmarks: true }, { idleTimeoutMs: 7_777 }, [7_777]],
    ['and beyond the time that it asked for', { timeoutSeconds: 40 }, {}, [70_000, 600_000]],
  ])('waits for the next event %s: %#', async (_how, options, call, expected) => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { pods } = await serve((response) => {
      response.writeHead(200).end(line('ADDED', 'a'));
    });
    for await (const _ of await pods.watch(options, call));
    const delays = timers.mock.calls.map(([, delay]) => delay);
    expect(delays).toEqual(expect.arrayContaining(expected));
    const others = [600_000, 150_000, 7_777, 70_000].filter((delay) => !expected.includes(delay));
    expect(delays.filter((delay) => others.includes(delay ?? 0))).toEqual([]);
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
    await until('the connection to be closed', () => server.sockets.size === 0);
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
    await until('the first watch to be gone', () => server.sockets.size === 0 && listeners === 0);
    const names: unknown[] = [];
    for await (const event of await pods.watch({}, { signal })) {
      names.push(event.object);
      controller.abort();
    }
    expect(names).toHaveLength(1);
    await until('the second watch to be gone', () => server.sockets.size === 0);
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
      await until('the server to be held up', () => isPushedBack);
      break;
    }
    expect(written).toBeLessThan(100_000_000);
  });
});

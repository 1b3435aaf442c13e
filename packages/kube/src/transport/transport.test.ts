import { afterEach, describe, expect, it } from 'vitest';
import { ScriptedServer, sendJson } from '../../test/scripted-server.ts';
import { type RequestEnd, Transport, type TransportOptions } from './transport.ts';
import type { ApiWarning } from './warning-header.ts';

let server: ScriptedServer | undefined;
let transport: Transport | undefined;
afterEach(async () => {
  await transport?.close();
  await server?.close();
});

type Answer = Parameters<typeof ScriptedServer.start>[0];

async function reach(answer: Answer, options: TransportOptions = {}) {
  server = await ScriptedServer.start(answer);
  transport = new Transport({ server: server.url, namespace: '' }, options);
  return { server, transport };
}

describe('a transport', () => {
  it('tells how each request ended, and who sent it', async () => {
    const ends: Omit<RequestEnd, 'durationMs'>[] = [];
    const { server, transport } = await reach(
      (response, { url }) => sendJson(response, {}, url === '/good' ? 200 : 404),
      {
        userAgent: 'test/1',
        onRequestEnd: ({ durationMs, ...end }) => {
          expect(durationMs).toBeGreaterThan(0);
          ends.push(end);
        },
      },
    );
    (await transport.send({ method: 'GET', path: '/good' })).body.resume();
    await expect(transport.send({ method: 'DELETE', path: '/bad' })).rejects.toMatchObject({
      statusCode: 404,
    });
    const { host } = new URL(server.url);
    expect(ends).toEqual([
      { method: 'GET', host, statusCode: 200 },
      { method: 'DELETE', host, statusCode: 404 },
    ]);
    expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      'test/1',
      'test/1',
    ]);
  });

  it('tells of requests without an answer, and where they went', async () => {
    const ends: RequestEnd[] = [];
    const { server, transport } = await reach(
      (_response, _seen, request) => void request.socket.destroy(),
      { maxRetries: 0, onRequestEnd: (end) => ends.push(end) },
    );
    await expect(transport.sendOnce({ method: 'POST', path: '/a?b=secret' })).rejects.toThrow(
      expect.objectContaining({
        code: 'WG_KUBE_CONNECTION',
        message: expect.stringContaining(`POST ${server.url}/a: `),
      }),
    );
    expect(ends.map(({ method, statusCode }) => [method, statusCode])).toEqual([
      ['POST', undefined],
    ]);
  });

  it('hands on what the API warns of', async () => {
    const warnings: [ApiWarning, string][] = [];
    const { transport } = await reach(
      (response) => {
        response.setHeader('warning', '299 - "old \\"v1\\" kind", 299 - "another"');
        sendJson(response, {});
      },
      { onWarning: (warning, { path }) => warnings.push([warning, path]) },
    );
    (await transport.send({ method: 'GET', path: '/x' })).body.resume();
    expect(warnings.map(([{ text }, path]) => [text, path])).toEqual([
      ['old "v1" kind', '/x'],
      ['another', '/x'],
    ]);
  });

  it('lets those write who may, and everybody read', async () => {
    const { server, transport } = await reach((response) => sendJson(response, {}));
    let mayWrite = true;
    const fenced = transport.fenced(() => mayWrite);
    (await fenced.send({ method: 'POST', path: '/1' })).body.resume();
    mayWrite = false;
    (await fenced.send({ method: 'GET', path: '/2' })).body.resume();
    for (const call of [
      fenced.send({ method: 'POST', path: '/3' }),
      fenced.sendOnce({ method: 'PUT', path: '/4' }),
    ])
      await expect(call).rejects.toMatchObject({ code: 'WG_KUBE_FENCED' });
    // The one below is not bound by it, and goes on when the fenced one is closed.
    await fenced.close();
    (await transport.send({ method: 'POST', path: '/5' })).body.resume();
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /1',
      'GET /2',
      'POST /5',
    ]);
  });

  it('knows a server that answers: also one that refuses, but none that fails', async () => {
    const answers = [503, 403];
    const sleeps: number[] = [];
    const { server, transport } = await reach(
      (response) => sendJson(response, {}, answers.shift() ?? 200),
      { sleep: async (ms) => void sleeps.push(ms) },
    );
    expect(await transport.whenReachable(new AbortController().signal)).toBe(true);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /readyz',
      'GET /readyz',
    ]);
    expect(sleeps.length).toBeGreaterThan(0);
  });

  it('gives the reason of whoever gave up', async () => {
    const { transport } = await reach(() => {});
    const request = { method: 'GET', path: '/x', signal: AbortSignal.abort('enough') } as const;
    await expect(transport.send(request)).rejects.toBe('enough');
    expect(transport.wrap('odd', { method: 'GET', path: '/x?y' })).toMatchObject({
      code: 'WG_KUBE_CONNECTION',
      cause: 'odd',
    });
  });
});

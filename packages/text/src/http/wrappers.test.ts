import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/until.ts';
import { answer, type OnHead, RawServer } from '../testing/raw-server.ts';
import { readBody } from './body.ts';
import { HttpClient } from './client.ts';
import type { HttpRequest, Send } from './message.ts';
import { redirecting } from './redirect.ts';
import { type RetryPolicy, retryAfterSeconds, retrying } from './retry.ts';

const running: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function serve(onHead: OnHead): Promise<RawServer> {
  const server = await RawServer.start(onHead);
  running.push(server);
  return server;
}

let http: HttpClient;

beforeEach(() => {
  http = new HttpClient();
  running.push(http);
});

const client = (): Send => http.send;

const textOf = async (send: Send, request: HttpRequest) =>
  (await readBody(await send(request), 1000)).toString();

describe('retrying', () => {
  const now = () => Date.parse('2026-01-01T00:00:00Z');

  /** Patient with resets and with servers that say when. */
  function patient(waits: number[]): RetryPolicy<HttpRequest> {
    return {
      waitAfter: ({ response, error }, attempt) => {
        if (attempt > 3) return undefined;
        if (response === undefined) {
          return (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? 7 : undefined;
        }
        const seconds = retryAfterSeconds(response, now);
        return seconds === undefined ? undefined : seconds * 1000;
      },
      sleep: async (ms) => {
        waits.push(ms);
        await until('the answer to be gone', () => http.isIdle);
      },
    };
  }

  it.each([
    ['a reset', undefined, [7]],
    ['429 with seconds', answer('429 Wait', 'no', 'retry-after: 2\r\n'), [2000]],
    [
      '503 with a date',
      answer('503 Wait', 'no', 'retry-after: Thu, 01 Jan 2026 00:00:05 GMT\r\n'),
      [5000],
    ],
    [
      'a date that is over',
      answer('503 Wait', '', 'retry-after: Wed, 31 Dec 2025 00:00:00 GMT\r\n'),
      [0],
    ],
  ])('tries again after %s, on the connection that is there', async (_what, first, expected) => {
    const server = await serve((socket, _head, place) => {
      if (place > 1) socket.write(answer('200 OK', 'yes'));
      else if (first === undefined) socket.resetAndDestroy();
      else socket.write(first);
    });
    const waits: number[] = [];
    const send = retrying(client(), patient(waits));
    expect(await textOf(send, { origin: server.origin, path: '/' })).toBe('yes');
    expect(waits).toEqual(expected);
    expect(server.opened).toBe(first === undefined ? 2 : 1);
  });

  it.each([
    ['no Retry-After', answer('503 Away', 'away')],
    ['one that makes no sense', answer('503 Away', 'away', 'retry-after: soon\r\n')],
  ])('lets an answer with %s stand', async (_what, bytes) => {
    const server = await serve((socket) => socket.write(bytes));
    const send = retrying(client(), patient([]));
    expect(await textOf(send, { origin: server.origin, path: '/' })).toBe('away');
    expect(server.heads).toHaveLength(1);
  });

  it('lets the last answer stand, and tells of each wait', async () => {
    const server = await serve((socket) =>
      socket.write(answer('429 Wait', 'no', 'retry-after: 1\r\n')),
    );
    const told: number[] = [];
    const send = retrying(client(), {
      ...patient([]),
      onRetry: (_one, attempt) => told.push(attempt),
    });
    expect((await send({ origin: server.origin, path: '/' })).statusCode).toBe(429);
    expect(told).toEqual([1, 2, 3]);
    expect(server.heads).toHaveLength(4);
  });

  it('stops when the caller gives up, while it waits or while it asks', async () => {
    const controller = new AbortController();
    const server = await serve((socket) =>
      socket.write(answer('429 Wait', '', 'retry-after: 60\r\n')),
    );
    const send = retrying(client(), {
      ...patient([]),
      sleep: undefined,
      onRetry: () => controller.abort(new Error('enough')),
    });
    const request = { origin: server.origin, path: '/', signal: controller.signal };
    await expect(send(request)).rejects.toThrow('enough');
    await expect(send(request)).rejects.toThrow('enough');
    expect(server.heads).toHaveLength(1);
  });
});

describe('redirecting', () => {
  const policy = { maxHops: 2, refuse: (why: string) => new Error(`the server ${why}`) };
  const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'x-own': 'kept' };

  it('shows another origin not who asks, not even after it was sent back', async () => {
    const home = await serve((socket, head) =>
      socket.write(
        head.startsWith('GET /start')
          ? answer('302 Found', '', `location: ${away.origin}/away\r\n`)
          : answer('200 OK', 'back'),
      ),
    );
    const away = await serve((socket) =>
      socket.write(answer('307 Go', 'x', `location: ${home.origin}/end?q\r\n`)),
    );
    const send = redirecting(client(), policy);
    expect(await textOf(send, { origin: home.origin, path: '/start', headers })).toBe('back');
    expect(home.heads[0]).toContain('secret');
    for (const head of [away.heads[0], home.heads[1]]) {
      expect(head).not.toMatch(/secret|cookie/);
      expect(head).toContain('x-own: kept');
    }
    expect(home.heads[1]).toMatch(/^GET \/end\?q /);
  });

  it('keeps them within one origin', async () => {
    const server = await serve((socket, _head, place) =>
      socket.write(place === 1 ? answer('301 Go', '', 'location: b\r\n') : answer('200 OK')),
    );
    await textOf(redirecting(client(), policy), { origin: server.origin, path: '/a/a', headers });
    expect(server.heads[1]).toMatch(/^GET \/a\/b [\s\S]*secret/);
  });

  it.each([
    ['endlessly', '/again', 'the server redirects too often'],
    ['to what is no URL', 'http://[', 'the server redirects to what is no URL'],
    ['to another scheme', 'file:///etc/passwd', "the server redirects to 'file:'"],
  ])('refuses to be sent %s', async (_what, location, why) => {
    const server = await serve((socket) =>
      socket.write(answer('302 Found', '', `location: ${location}\r\n`)),
    );
    const asking = redirecting(client(), policy)({ origin: server.origin, path: '/' });
    await expect(asking).rejects.toThrow(why);
  });

  it('goes from TLS to none only where that is allowed; a write goes nowhere', async () => {
    const server = await serve((socket) => socket.write(answer('200 OK', 'plain')));
    const asked: string[] = [];
    const secure: Send = async (request) => {
      asked.push(request.origin);
      if (request.origin === server.origin) return client()(request);
      const response = await client()({ origin: server.origin, path: '/' });
      return { ...response, statusCode: 302, headers: { location: `${server.origin}/b` } };
    };
    const request = { origin: 'https://a', path: '/' };
    await expect(redirecting(secure, policy)(request)).rejects.toThrow("redirects to 'http:'");
    const allowed = redirecting(secure, { ...policy, allowsPlain: true });
    expect(await textOf(allowed, request)).toBe('plain');
    asked.length = 0;
    expect((await allowed({ ...request, method: 'POST' })).statusCode).toBe(302);
    expect(asked).toEqual(['https://a']);
  });
});

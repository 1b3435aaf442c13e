import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { checkHealth } from './health-check.ts';
import { HealthServer, type HealthServerOptions } from './health-server.ts';
import { HttpListener } from './http-listener.ts';

let server: HealthServer;

async function serve(options: HealthServerOptions = {}) {
  const failures: [string, unknown][] = [];
  server = new HealthServer({
    onFailure: (name, error) => void failures.push([name, error]),
    ...options,
  });
  const { port } = await server.listen();
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const brief = async (path: string, init: RequestInit = {}) => {
    const { status, text } = await ask(path, init);
    return `${status} ${text}`;
  };
  return { port, failures, ask, brief };
}

afterEach(() => server?.close());

const metrics = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'up 1\n' };
const notYet = () => {
  throw new Error('not yet');
};

describe('what a health server answers', () => {
  test.each([
    ['/healthz', '200 ok'],
    ['/readyz', '500 [-]caches failed: reason withheld\n[+]ping ok\nreadyz check failed\n'],
    ['/readyz?exclude=caches', '200 ok'],
    [
      '/readyz?verbose&exclude=caches',
      '200 [+]caches excluded: ok\n[+]ping ok\nreadyz check passed\n',
    ],
    [
      '/healthz?verbose&exclude=b&exclude=a',
      '200 [+]ping ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nhealthz check passed\n',
    ],
    ['/healthz/ping', '200 ok'],
    ['/healthz/caches', '404 not found\n'],
    ['/readyz/caches', '500 internal server error: reason withheld\n'],
    ['/readyz/%63aches', '500 internal server error: reason withheld\n'],
    ['/readyz/ping', '200 ok'],
    ['/readyz/ping/more', '404 not found\n'],
    ['/readyz/', '500 [-]caches failed: reason withheld\n[+]ping ok\nreadyz check failed\n'],
    ['/livez', '404 not found\n'],
    ['/', '404 not found\n'],
    ['/metrics', '200 up 1\n'],
    ['/metrics/more', '404 not found\n'],
  ])('%s', async (path, wanted) => {
    const { brief } = await serve({ metrics });
    server.addReadyCheck('ping', () => {});
    server.addReadyCheck('caches', notYet);
    expect(await brief(path)).toBe(wanted);
  });

  test('why a check failed is told here, and not over HTTP', async () => {
    const { ask, failures } = await serve();
    server.addHealthCheck('caches', notYet);
    const { status, headers } = await ask('/healthz');
    expect(status).toBe(500);
    expect(failures).toEqual([['caches', new Error('not yet')]]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String('[-]caches failed: reason withheld\nhealthz check failed\n'.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  test('only what reads is answered', async () => {
    const { ask } = await serve();
    const { status, text, headers } = await ask('/healthz', { method: 'POST' });
    expect([status, text, headers.get('allow')]).toEqual([
      405,
      'method not allowed\n',
      'GET, HEAD',
    ]);
    expect((await ask('/healthz', { method: 'HEAD' })).status).toBe(200);
  });

  test('a target that is none is refused', async () => {
    const { port } = await serve();
    const status = await new Promise((resolve, reject) => {
      const call = request({ port, host: '127.0.0.1', path: '//[', agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on('error', reject);
      call.end();
    });
    expect(status).toBe(400);
  });

  test('a check that hangs has failed', async () => {
    const clock = new FakeClock();
    const { brief, failures } = await serve({ clock, checkTimeoutMs: 20 });
    let isAborted = false;
    const asked = new Promise<void>((resolve) => {
      server.addHealthCheck('stuck', (signal) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
        });
        resolve();
        return new Promise(() => {});
      });
    });
    const answer = brief('/healthz/stuck');
    await asked;
    await clock.advance(20);
    expect(await answer).toBe('500 internal server error: reason withheld\n');
    expect(failures).toMatchObject([
      ['stuck', { code: 'WG_RUNTIME_UNHEALTHY', message: 'no answer in 20 ms' }],
    ]);
    expect([isAborted, clock.timerCount]).toEqual([true, 0]);
  });
});

describe('metrics', () => {
  test('are in their own type', async () => {
    const { ask } = await serve({ metrics });
    expect((await ask('/metrics')).headers.get('content-type')).toBe('text/plain; version=0.0.4');
  });

  test('are not there without a source', async () => {
    const { brief } = await serve();
    expect(await brief('/metrics')).toBe('404 not found\n');
  });

  test.each([
    [200, '200 up 1\n', null],
    [401, '401 a bearer token is needed\n', 'Bearer'],
    [403, '403 not allowed to get /metrics\n', null],
  ])('are for those who may read them: %i', async (verdict, wanted, challenge) => {
    const asked: unknown[] = [];
    const access = {
      verdictOn: async (headers: { authorization?: string }, path: string) => {
        asked.push([headers.authorization, path]);
        return verdict;
      },
    } as unknown as NonNullable<HealthServerOptions['access']>;
    const { ask } = await serve({ metrics, access });
    const { status, text, headers } = await ask('/metrics', {
      headers: { authorization: 'Bearer x' },
    });
    expect([`${status} ${text}`, headers.get('www-authenticate')]).toEqual([wanted, challenge]);
    expect(asked).toEqual([['Bearer x', '/metrics']]);
  });

  test('that cannot be made are an error, and told here', async () => {
    const error = new Error('broken');
    const { brief, failures } = await serve({
      metrics: { ...metrics, metrics: () => Promise.reject(error) },
    });
    expect(await brief('/metrics')).toBe('500 internal error\n');
    expect(failures).toEqual([['http', error]]);
  });
});

describe('where it listens', () => {
  test('it says so for as long as it does, and only once at a time', async () => {
    const { port } = await serve();
    expect(server.address).toMatchObject({ address: '127.0.0.1', port });
    await expect(server.listen()).rejects.toThrow('the server listens already');
    await server.close();
    await server.close();
    expect(server.address).toBeUndefined();
    await server.listen();
  });

  test('on loopback, web pages are turned away', async () => {
    const { brief } = await serve();
    const answer = await brief('/healthz', { headers: { origin: 'http://evil.test' } });
    expect(answer).toMatch(/^403 refused: /);
  });

  test('a certificate is of no use to what has none', async () => {
    const listener = new HttpListener({ onRequest: (_, response) => void response.end('ok') });
    listener.renew({ cert: '', key: '' });
    await listener.listen();
    listener.renew({ cert: '', key: '' });
    await listener.close();
    expect(listener.address).toBeUndefined();
  });
});

test('without checks there is ping', async () => {
  const { signal } = new AbortController();
  expect(await checkHealth('livez', new Map(), { signal })).toEqual({
    isHealthy: true,
    text: '[+]ping ok\nlivez check passed\n',
  });
});

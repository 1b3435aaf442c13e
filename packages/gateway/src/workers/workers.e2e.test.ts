import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';

let backend: Server;
let backendPort: number;
let isBroken: boolean;
const gateways: Gateway[] = [];

beforeEach(async () => {
  isBroken = false;
  backend = createServer((request, reply) => {
    if (request.url === '/slow') {
      setTimeout(() => reply.end('slow'), 400);
      return;
    }
    reply.writeHead(isBroken ? 500 : 200, { 'Content-Length': 5 }).end('hello');
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  backendPort = (backend.address() as AddressInfo).port;
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(options: GatewayOptions = {}) {
  const gateway = new Gateway({ workers: 2, ...options });
  gateways.push(gateway);
  const { proxy, admin } = await gateway.start();
  const adminUrl = `http://127.0.0.1:${admin?.port}`;
  const port = proxy[0]?.port ?? 0;
  return {
    gateway,
    port,
    call: (method: string, path: string, body?: object) =>
      fetch(adminUrl + path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      }),
  };
}

/** One request on a connection of its own, so that workers take turns. */
function ask(port: number, path: string): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body });
    });
  });
}

const service = () => ({ name: 's', host: '127.0.0.1', port: backendPort });

describe('a gateway with worker processes', () => {
  test('serves a change in every worker before the writer has its answer', async () => {
    const { port, call } = await start({ mode: 'database' });
    await call('POST', '/services', service());
    for (let round = 0; round < 20; round += 1) {
      const made = await call('POST', '/services/s/routes', { name: `r${round}`, paths: ['/x'] });
      expect(made.status).toBe(201);
      const answers = await Promise.all([ask(port, '/x'), ask(port, '/x'), ask(port, '/x')]);
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
      await call('DELETE', `/routes/r${round}`);
      expect((await ask(port, '/x')).status).toBe(404);
    }
  });

  test('counts limits and metrics, and keeps answers, over all workers together', async () => {
    const lines: string[] = [];
    const route = (name: string, plugin: object) => ({
      name,
      paths: [`/${name}`],
      plugins: [plugin],
    });
    const config = {
      _format_version: '3.0',
      services: [
        {
          ...service(),
          routes: [
            route('limited', { name: 'rate-limiting', config: { hour: 5, policy: 'local' } }),
            route('cached', {
              name: 'proxy-cache',
              config: { strategy: 'memory', content_type: ['text/plain'] },
            }),
          ],
        },
      ],
      plugins: [{ name: 'prometheus', config: { status_code_metrics: true } }],
    };
    backend.removeAllListeners('request');
    backend.on('request', (_request, reply) =>
      reply.setHeader('Content-Type', 'text/plain').end('hello'),
    );
    const { port, call } = await start({ config, accessLog: (line) => lines.push(line) });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(port, '/limited')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(7);
    const cached = [];
    for (let round = 0; round < 4; round += 1) {
      const { head } = await ask(port, '/cached');
      cached.push(/x-cache-status: (\w+)/i.exec(head)?.[1]);
    }
    expect(cached).toEqual(['Miss', 'Hit', 'Hit', 'Hit']);
    await expect.poll(() => lines.length).toBe(16);
    const metrics = await (await call('GET', '/metrics')).text();
    expect(metrics).toMatch(
      /requests_total\{.*route="limited",code="200",source="service".*\} 5\n/,
    );
    expect(metrics).toMatch(/requests_total\{.*route="limited",code="429",source="exit".*\} 7\n/);
    const { server } = (await (await call('GET', '/status')).json()) as {
      server: { total_requests: number };
    };
    expect(server.total_requests).toBe(16);
  });

  test('agrees on the health of targets', async () => {
    const other = createServer((_request, reply) => reply.end('other'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port, call } = await start({ mode: 'database' });
    const passive = {
      healthy: { successes: 1, http_statuses: [200] },
      unhealthy: { http_failures: 1, http_statuses: [500] },
    };
    await call('POST', '/upstreams', { name: 'u', healthchecks: { passive } });
    for (const target of [backendPort, (other.address() as AddressInfo).port]) {
      await call('POST', '/upstreams/u/targets', { target: `127.0.0.1:${target}` });
    }
    await call('POST', '/services', { name: 's', host: 'u' });
    await call('POST', '/services/s/routes', { paths: ['/'] });
    isBroken = true;
    // Some request meets the broken target; from then on no worker asks it.
    await expect.poll(async () => (await ask(port, '/')).status).toBe(500);
    await expect
      .poll(async () => {
        const health = (await (await call('GET', '/upstreams/u/health')).json()) as {
          data: { health: string }[];
        };
        return health.data.map((target) => target.health).sort();
      })
      .toEqual(['HEALTHY', 'UNHEALTHY']);
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(port, '/')));
    expect(new Set(answers.map((answer) => answer.body))).toEqual(new Set(['other']));
    isBroken = false;
    await call('PUT', `/upstreams/u/targets/127.0.0.1:${backendPort}/healthy`);
    await expect
      .poll(async () => {
        const again = await Promise.all(Array.from({ length: 8 }, () => ask(port, '/')));
        return new Set(again.map((answer) => answer.body));
      })
      .toEqual(new Set(['hello', 'other']));
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  test('replaces a worker that dies, and its counts stay', async () => {
    const config = {
      _format_version: '3.0',
      services: [{ ...service(), routes: [{ name: 'r', paths: ['/x'] }] }],
    };
    const { port, call } = await start({ config });
    const processIds = async () => {
      const root = (await (await call('GET', '/')).json()) as { pids: { workers: number[] } };
      return root.pids.workers;
    };
    await ask(port, '/x');
    await ask(port, '/x');
    await call('GET', '/status');
    const [first = 0] = await processIds();
    process.kill(first, 'SIGKILL');
    await expect
      .poll(async () => {
        const now = await processIds();
        return now.length === 2 && !now.includes(first);
      })
      .toBe(true);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(port, '/x')));
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    await expect
      .poll(async () => {
        const status = (await (await call('GET', '/status')).json()) as {
          server: { total_requests: number };
        };
        return status.server.total_requests;
      })
      .toBe(8);
  });

  test('finishes what is under way when it is told to stop', async () => {
    const config = {
      _format_version: '3.0',
      services: [{ ...service(), routes: [{ name: 'r', paths: ['/x'] }] }],
    };
    const { gateway, port } = await start({ config });
    const slow = [ask(port, '/x/slow'), ask(port, '/x/slow')];
    await expect
      .poll(() => new Promise((resolve) => backend.getConnections((_e, n) => resolve(n))))
      .toBe(2);
    await gateway.stop();
    expect((await Promise.all(slow)).map((answer) => answer.body)).toEqual(['slow', 'slow']);
    await expect(ask(port, '/x')).rejects.toThrow();
  });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

const isThere = spawnSync('redis-server', ['--version']).error === undefined;

let backend: Server;
let backendPort: number;
let redisPort: number;
let redis: ChildProcess;
const gateways: Gateway[] = [];

async function startRedis(): Promise<void> {
  redis = spawn(
    'redis-server',
    ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--requirepass', 'hush'],
    { stdio: 'ignore' },
  );
  await expect.poll(() => isListening(redisPort)).toBe(true);
}

async function stopRedis(): Promise<void> {
  if (redis.exitCode === null && redis.signalCode === null) {
    const exited = once(redis, 'exit');
    redis.kill('SIGKILL');
    await exited;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

beforeAll(async () => {
  backend = createServer((_request, reply) => reply.setHeader('X-Kong-Limit', 'video=1').end('ok'));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  backendPort = (backend.address() as AddressInfo).port;
  const probe = createNetServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  redisPort = (probe.address() as AddressInfo).port;
  await new Promise((resolve) => probe.close(resolve));
});

afterEach(() => Promise.all(gateways.splice(0).map((gateway) => gateway.stop())));

afterAll(async () => {
  await stopRedis();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

async function start(name: string, config: object): Promise<() => Promise<Response>> {
  const settings = { host: '127.0.0.1', port: redisPort, password: 'hush', timeout: 500 };
  const gateway = new Gateway({
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          id: '11111111-1111-4111-8111-111111111111',
          host: '127.0.0.1',
          port: backendPort,
          routes: [{ name: 'r', paths: ['/'] }],
          plugins: [{ name, config: { ...config, policy: 'redis', redis: settings } }],
        },
      ],
    },
  });
  gateways.push(gateway);
  const { proxy } = await gateway.start();
  return () => fetch(`http://127.0.0.1:${proxy[0]?.port}/`);
}

describe.runIf(isThere)('limits that are counted in Redis', () => {
  test('hold over several gateways, and never let more through, however many ask at once', async () => {
    await startRedis();
    const one = await start('rate-limiting', { hour: 7 });
    const two = await start('rate-limiting', { hour: 7 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one() : two())),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(13);
    expect((await one()).headers.get('x-ratelimit-remaining-hour')).toBe('0');
  });

  test('are counted by what services answer', async () => {
    const ask = await start('response-ratelimiting', {
      limits: { video: { hour: 2 } },
      header_name: 'X-Kong-Limit',
    });
    const first = await ask();
    expect(first.headers.get('x-ratelimit-remaining-video-hour')).toBe('1');
    expect(first.headers.get('x-kong-limit')).toBeNull();
    await expect
      .poll(async () => (await ask()).headers.get('x-ratelimit-remaining-video-hour'))
      .toBe('0');
    await expect.poll(async () => (await ask()).status).toBe(429);
    expect(await (await ask()).text()).toBe('');
  });

  test('do not stop requests when Redis is down, unless that is asked for', async () => {
    const tolerant = await start('rate-limiting', { hour: 1_000, fault_tolerant: true });
    const strict = await start('rate-limiting', { hour: 1_000, fault_tolerant: false });
    expect((await tolerant()).status).toBe(200);
    expect((await strict()).status).toBe(200);
    await stopRedis();
    expect((await tolerant()).status).toBe(200);
    expect((await strict()).status).toBe(500);
    await startRedis();
    await expect
      .poll(async () => (await strict()).headers.get('x-ratelimit-limit-hour'))
      .toBe('1000');
  });
});

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { isListening, type Running, start, waygate } from '../real/processes.ts';
import { patience } from '../until.ts';

// What a hostile crowd, and backends that misbehave, cost the program and its other clients.

const directory = mkdtempSync(join(tmpdir(), 'waygate-hostile-'));
let steady: Server;
let hung: Running;
let proxy: Running;
let port: number;
let metricsPort: number;
const sockets: Socket[] = [];

/** The head of a ClientHello that names `host`, made by hand: 74 bytes would do, padding is usual. */
function hello(host: string): Buffer {
  const name = Buffer.from(host);
  const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
  const entry = Buffer.concat([Buffer.from([0]), u16(name.length), name]);
  const list = Buffer.concat([u16(entry.length), entry]);
  const extensions = Buffer.concat([u16(0), u16(list.length), list]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 1),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0]),
    u16(extensions.length),
    extensions,
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), u16(body.length), body]);
  return Buffer.concat([Buffer.from([22, 3, 1]), u16(message.length), message]);
}

async function dial(to: number): Promise<Socket> {
  const socket = connect(to, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

function resident(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)![1]);
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

beforeAll(async () => {
  steady = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('ok'));
  }).listen(0, '127.0.0.1');
  await once(steady, 'listening');
  const hungPort = await ownPort();
  hung = start(process.execPath, [
    '-e',
    `require('net').createServer().listen({ port: ${hungPort}, host: '127.0.0.1', backlog: 1 })`,
  ]);
  await vi.waitFor(async () => expect(await isListening(hungPort)).toBe(true), patience);
  await hang(hungPort);
  port = await ownPort();
  metricsPort = await ownPort();
  const good = `127.0.0.1:${(steady.address() as AddressInfo).port}`;
  writeFileSync(
    join(directory, 'hosts.yaml'),
    JSON.stringify({
      hosts: [
        { host: 'steady.example.com', backend: { endpoints: [good] } },
        { host: 'hung.example.com', backend: { endpoints: [`127.0.0.1:${hungPort}`, good] } },
      ],
      limits: { connectTimeoutMs: 300, helloTimeoutMs: 60_000 },
    }),
  );
  const listen = ['--listen', `127.0.0.1:${port}`, '--metrics-listen', `127.0.0.1:${metricsPort}`];
  proxy = start(process.execPath, [
    waygate,
    'passthrough',
    '--config',
    join(directory, 'hosts.yaml'),
    '--workers',
    '1',
    '--drain',
    '0',
    ...listen,
  ]);
  await vi.waitFor(async () => expect(await isListening(metricsPort)).toBe(true), {
    timeout: 20_000,
  });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await proxy?.stop();
  if (hung?.process.pid !== undefined) process.kill(hung.process.pid, 'SIGKILL');
  steady?.close();
  rmSync(directory, { recursive: true });
});

/** Stops a server and fills the queue of its listening socket: from then on it lets nobody in. */
async function hang(hungPort: number): Promise<void> {
  process.kill(hung.process.pid!, 'SIGSTOP');
  for (let index = 0; index < 16; index += 1) {
    const socket = connect(hungPort, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    const outcome = await Promise.race([
      once(socket, 'connect').then(() => 'connected'),
      new Promise((resolve) => setTimeout(resolve, 200, 'hangs')),
    ]);
    if (outcome === 'hangs') return;
  }
  throw new Error('the queue of the stopped server never filled');
}

test('a backend that hangs is passed over for one that answers', async () => {
  for (let index = 0; index < 4; index += 1) {
    const client = await dial(port);
    client.write(hello('hung.example.com'));
    const [data] = (await once(client, 'data')) as [Buffer];
    expect(data.toString()).toBe('ok');
  }
});

describe('a crowd that sends one byte each', () => {
  const crowd = 9_000;

  test('costs a bounded piece of memory, and the next client passes', async () => {
    const worker = Number((await children(proxy.process.pid!))[0]);
    const before = resident(worker);
    for (let opened = 0; opened < crowd; opened += 300) {
      const batch = await Promise.all(Array.from({ length: 300 }, () => dial(port)));
      for (const socket of batch) socket.write(Buffer.from([22]));
    }
    await vi.waitFor(
      async () => expect(await metric('waygate_passthrough_pending_hellos')).toBe(crowd),
      { timeout: 20_000 },
    );
    expect((resident(worker) - before) / crowd).toBeLessThan(12 * 1024);
    const client = await dial(port);
    client.write(hello('steady.example.com'));
    const [data] = (await once(client, 'data')) as [Buffer];
    expect(data.toString()).toBe('ok');
  });

  test('is forgotten when it leaves', async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await vi.waitFor(
      async () => expect(await metric('waygate_passthrough_active_connections')).toBe(0),
      { timeout: 20_000 },
    );
  });
});

async function children(processId: number): Promise<string[]> {
  const text = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8');
  return text.trim().split(' ');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { ownPort } from '../packages/gateway/src/testing/own-port.ts';

const program = fileURLToPath(new URL('../packages/cli/bin/waygate.js', import.meta.url));
const host = '127.0.0.1';

let child: ChildProcess | undefined;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Kept open until the test is over, whatever the other side does. */
function attack(port: number, bytes: string): Socket {
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write(bytes);
  cleanups.push(() => socket.destroy());
  return socket;
}

function call(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false });
    session.on('error', () => resolve(0));
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
    });
    stream.on('error', () => undefined);
    stream.on('response', (headers) => {
      resolve(Number(headers[':status']));
      session.close();
    });
    stream.resume();
    stream.end('x');
  });
}

function ask(port: number): Promise<number> {
  return new Promise((resolve) => {
    get({ host, port, path: '/neighbour', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    }).on('error', () => resolve(0));
  });
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

test('a gateway that is attacked from both sides serves the neighbour, and goes when it is told to', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'waygate-attacked-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const good = await listen(createHttpServer((_request, reply) => reply.end('ok')));
  const silent = await listen(createServer(() => undefined));
  const endless = await listen(
    createServer((socket) => {
      const block = 'x'.repeat(65_536);
      const send = () => {
        while (!socket.destroyed && socket.write(block)) {
          // There is room for more.
        }
      };
      socket.on('drain', send);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n');
        send();
      });
    }),
  );
  const service = (name: string, port: number, protocol = 'http', protocols?: string[]) => ({
    name,
    host,
    port,
    protocol,
    routes: [{ name, paths: [`/${name}`], ...(protocols ? { protocols } : {}) }],
  });
  const file = join(directory, 'kong.json');
  const config = {
    _format_version: '3.0',
    services: [
      service('neighbour', good),
      service('silent', silent),
      service('endless', endless),
      service('refused', await ownPort()),
      service('grpc', await ownPort(), 'grpc', ['grpc', 'grpcs']),
      service('mute', silent, 'grpc', ['grpc', 'grpcs']),
    ],
    // Whose log server accepts and says nothing: what waits for it must not hold the end up.
    plugins: [
      { name: 'http-log', config: { http_endpoint: `http://${host}:${silent}/`, timeout: 60_000 } },
    ],
  };
  await writeFile(file, JSON.stringify(config));
  const free = ['--proxy-listen', '--proxy-tls-listen', '--admin-listen'].flatMap((flag) => [
    flag,
    `${host}:0`,
  ]);
  const running = spawn(
    process.execPath,
    [program, 'gateway', 'run', '-c', file, '--drain', '1', ...free],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  child = running;
  let said = '';
  running.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  while (!said.includes('Admin API')) await once(running.stderr, 'data');
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  const tlsPort = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  expect(await ask(port)).toBe(200);
  const before = await residentMegabytes(running.pid ?? 0);

  const head = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  for (let index = 0; index < 50; index += 1) {
    attack(port, '');
    attack(port, 'GET /neighbour HT');
    attack(port, 'POST /neighbour HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc');
    attack(port, head('/silent'));
    attack(port, head('/endless')).pause();
    attack(port, head('/silent', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
    attack(port, head('/neighbour').repeat(200)).pause();
    attack(tlsPort, '\x16\x03\x01');
    attack(port, head('/silent')).end();
    attack(port, `${'\0'.repeat(100)}\r\n\r\n`);
  }
  const calls = Array.from({ length: 50 }, () => call(tlsPort, '/grpc'));
  for (let index = 0; index < 50; index += 1) void call(tlsPort, '/mute');
  const answers: number[] = [];
  for (let index = 0; index < 100; index += 1) answers.push(await ask(port));
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([502]));
  expect(await ask(port)).toBe(200);
  const grown = (await residentMegabytes(running.pid ?? 0)) - before;
  expect(grown).toBeLessThan(300);

  running.kill('SIGTERM');
  // A second for what is under way, two for what is logged; half a minute on the busiest machine.
  const soon = { signal: AbortSignal.timeout(30_000) };
  const [code, signal] = (await once(running, 'exit', soon)) as [number | null, string | null];
  expect([code, signal], said).toEqual([0, null]);
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Attack, ingress, ingressPath, pause, serve } from '../attack.ts';

/** What clients send before they stall or hang up. */
const beginnings = [
  '',
  'GET / HT',
  'GET / HTTP/1.1\r\nHost: victim.test\r\nX-Slow: ',
  'POST /asked HTTP/1.1\r\nHost: victim.test\r\nContent-Length: 100000\r\n\r\nsome',
  'POST /asked HTTP/1.1\r\nHost: victim.test\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nsome',
  'GET /asked HTTP/1.1\r\nHost: victim.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000',
  '\u0016\u0003\u0001\u0002\u0000\u0001',
] as const;

/** Connections to every port that stall at some byte, and some that are reset there. */
export const stallingClients: Attack = {
  name: 'clients that stall and hang up',
  async run({ world, random, signal }) {
    const open: Socket[] = [];
    const ports = [world.gateway.port, world.adminPort, world.apiPort];
    while (!signal.aborted) {
      const socket = connect(ports[Math.floor(random() * ports.length)]!, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(beginnings[Math.floor(random() * beginnings.length)]!);
      open.push(socket);
      if (open.length > 200)
        open.splice(Math.floor(random() * open.length), 1)[0]?.resetAndDestroy();
      await pause(20, signal);
    }
    for (const socket of open) socket.destroy();
  },
};

/** What a bad upstream does with a connection. */
const manners: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\ncut'),
  (socket) => socket.end('no HTTP at all\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
  (socket) => socket.once('data', () => undefined),
  (socket) => endless(socket),
];

function endless(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write(`X-More: ${'x'.repeat(1_000)}\r\n`), 10);
  socket.once('close', () => clearInterval(timer));
}

/** Upstreams that refuse, reset, lie and never end; asked over HTTP/1 and as gRPC. */
export const badUpstreams: Attack = {
  name: 'bad upstreams',
  async run(setting) {
    const { world, namespace, random, signal } = setting;
    const servers = await Promise.all(manners.map(listen));
    try {
      const names = await Promise.all(
        [...servers.map(portOf), 1].map(async (port, index) => {
          await serve(setting, `bad-${index}`, port);
          await badRoute(setting, `bad-${index}`, index % 2 === 1);
          return `bad-${index}`;
        }),
      );
      while (!signal.aborted) {
        const host = `${names[Math.floor(random() * names.length)]}.${namespace}.test`;
        const headers = random() < 0.5 ? {} : { 'content-type': 'application/grpc' };
        void world.ask('/', { host, ...headers }, { timeoutMs: 3_000, body: 'some' });
        await pause(50, signal);
      }
    } finally {
      for (const server of servers) server.close();
    }

    async function badRoute(
      _setting: typeof setting,
      name: string,
      isGrpc: boolean,
    ): Promise<void> {
      const rule = { host: `${name}.${namespace}.test`, path: '/', service: name };
      await world.apply(
        `${ingressPath(namespace)}/${name}`,
        ingress(namespace, name, rule, isGrpc ? { 'konghq.com/protocols': 'http' } : {}),
      );
      if (!isGrpc) return;
      await world.api(
        'PATCH',
        `/api/v1/namespaces/${namespace}/services/${name}`,
        { metadata: { annotations: { 'konghq.com/protocol': 'grpc' } } },
        { headers: { 'content-type': 'application/merge-patch+json' } },
      );
    }
  },
};

async function listen(manner: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    setTimeout(() => socket.destroy(), 5_000).unref();
    manner(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

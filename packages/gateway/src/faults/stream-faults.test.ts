import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { dial, FaultWorld, readAll } from '../testing/fault-gateway.ts';
import { type Misbehaviour, repeat, reset } from '../testing/fault-upstream.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
import { ownPort } from '../testing/own-port.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';

let pair: CertificatePair;
let world = new FaultWorld();
const sockets: DatagramSocket[] = [];
const closing: (() => void)[] = [];

beforeAll(async () => {
  pair = await makeCertificate('up.test');
});

afterEach(async () => {
  await world.stop();
  world = new FaultWorld();
  for (const socket of sockets.splice(0)) socket.close();
  for (const close of closing.splice(0)) close();
});

const stream = (name: string, port: number, protocol: string, route: object) => ({
  name,
  port,
  protocol,
  route: { paths: undefined, ...route } as Record<string, unknown>,
});

/** A server that says what it got. */
async function echo(): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const faults: readonly (readonly [string, Misbehaviour])[] = [
  ['resets at once', (socket) => reset(socket)],
  ['ends without a word', (socket) => socket.end()],
  ['accepts and is silent', () => undefined],
  ['sends without an end to a client that goes', (socket) => repeat(socket, 'x')],
];

const kinds = [
  { kind: 'tcp' as const, protocol: 'tcp', route: 'tcp', isTls: false },
  { kind: 'tcp' as const, protocol: 'tls', route: 'tcp', isTls: false },
  { kind: 'tls' as const, protocol: 'tcp', route: 'tls', isTls: true },
  { kind: 'tls' as const, protocol: 'tcp', route: 'tls_passthrough', isTls: true },
];

describe.each(kinds)('a $kind stream ($route) to a $protocol service', (one) => {
  const routes = (port: number, neighbour: number) => [
    stream('bad', port, one.protocol, { protocols: [one.route], snis: snis('bad.test') }),
    stream('good', neighbour, 'tcp', { protocols: [one.route], snis: snis('good.test') }),
  ];
  // Without names, the two ports tell them apart.
  const snis = (name: string) => (one.isTls ? [name] : undefined);

  const start = async (port: number): Promise<void> => {
    const host = '127.0.0.1';
    const neighbour = await echo();
    const [badPort, goodPort] = await Promise.all([ownPort(), ownPort()]);
    const services = routes(port, neighbour).map((service, index) => ({
      ...service,
      route: {
        ...service.route,
        ...(one.isTls ? {} : { destinations: [{ port: index === 0 ? badPort : goodPort }] }),
      },
    }));
    const streams = one.isTls
      ? [{ host, port: 0, kind: one.kind }]
      : [badPort, goodPort].map((own) => ({ host, port: own, kind: one.kind }));
    await world.start(services, { streams });
  };

  const open = (name: 'bad' | 'good'): Socket => {
    const port = world.streamPorts[one.isTls || name === 'bad' ? 0 : 1] ?? 0;
    if (!one.isTls) return dial(port, 'hello');
    const socket = connectTls({
      host: '127.0.0.1',
      port,
      servername: `${name}.test`,
      rejectUnauthorized: false,
    });
    socket.on('error', () => undefined);
    socket.on('secureConnect', () => socket.write('hello'));
    return socket;
  };

  const expectStreams = async (): Promise<void> => {
    await world.expectNeighbour();
    if (one.route === 'tls_passthrough') return; // The echo speaks no TLS.
    const socket = open('good');
    const text = await new Promise((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    expect(text).toBe('hello');
    socket.destroy();
  };

  test('that refuses connections: the client is let go', async () => {
    await start(await ownPort());
    expect(await readAll(open('bad'))).toBe('');
    await expectStreams();
  });

  test.each(faults)('that %s', async (_name, misbehave) => {
    const options = one.protocol === 'tls' || one.route === 'tls_passthrough' ? { tls: pair } : {};
    const upstream = await world.upstream(misbehave, options);
    await start(upstream.port);
    const client = open('bad');
    client.on('data', () => client.destroy());
    client.on('end', () => client.destroy());
    await vi.waitFor(() => expect(upstream.accepted()).toBeGreaterThan(0), patience);
    await expectStreams();
    await new Promise((resolve) => (client.closed ? resolve(0) : client.once('close', resolve)));
    await vi.waitFor(() => expect(upstream.open()).toBe(0), patience);
    expect(upstream.accepted()).toBe(1);
  });

  test('a client that is silent, or breaks off at any byte', async () => {
    const upstream = await world.upstream(() => undefined);
    await start(upstream.port);
    const port = world.streamPorts[0] ?? 0;
    const text = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]);
    for (let length = 0; length <= text.length; length += 1) {
      const socket = dial(port, text.subarray(0, length));
      await new Promise((resolve) => socket.once('connect', resolve));
      if (length % 2 === 0) socket.resetAndDestroy();
      else socket.end();
    }
    await expectStreams();
  });
});

describe('a UDP stream', () => {
  const bind = async (): Promise<DatagramSocket> => {
    const socket = createSocket('udp4');
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return socket;
  };

  test('whose target is not there, or whose name is not, costs its own datagrams only', async () => {
    const server = await bind();
    server.on('message', (data, from) => server.send(data, from.port, from.address));
    const [badPort, noName, goodPort] = [await ownPort(), await ownPort(), await ownPort()];
    const route = (port: number) => ({ protocols: ['udp'], destinations: [{ port }] });
    const host = '127.0.0.1';
    await world.start(
      [
        stream('bad', await ownPort(), 'udp', route(badPort)),
        { ...stream('noname', 53, 'udp', route(noName)), more: { host: 'never.test' } },
        stream('good', server.address().port, 'udp', route(goodPort)),
      ],
      {
        streams: [badPort, noName, goodPort].map((port) => ({ host, port, kind: 'udp' as const })),
        // A name server that does not answer.
        resolveName: () => new Promise(() => undefined),
      },
    );
    const client = await bind();
    const answered = new Promise((resolve) =>
      client.once('message', (data) => resolve(String(data))),
    );
    for (let index = 0; index < 50; index += 1) {
      client.send('x', world.streamPorts[0] ?? 0, host);
      client.send('x', world.streamPorts[1] ?? 0, host);
    }
    client.send('hello', world.streamPorts[2] ?? 0, host);
    expect(await answered).toBe('hello');
    await world.expectNeighbour();
    // Stopping does not wait for the name.
  });
});

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  gateway,
  gatewayClass,
  ingress,
  kong,
  object,
  ours,
  plugin,
  route,
  service,
  slice,
} from '../ingress/kind-row.ts';
import { Crossing, type Place } from './crossing.ts';

const tcpBackend = ({ one }: Place) => [service('web'), ...slice('web', [one])];
const tlsBackend = ({ secure }: Place) => [service('web'), ...slice('web', [secure])];
const udpBackend = ({ udp }: Place) => [service('web', {}, 'UDP'), ...slice('web', [udp], 'UDP')];

function streamIngress(kind: string, port: number, more: object = {}): object {
  const rules = [{ port, backend: { serviceName: 'web', servicePort: 80 }, ...more }];
  return object(`${kong}/v1beta1`, kind, 's', { spec: { rules } }, { annotations: ours });
}

/** What a stream answers to a request, or `closed`. */
async function overSocket(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on('error', () => {}); // It is closed then, too.
  socket.write('GET /x HTTP/1.1\r\nHost: stream.test\r\nConnection: close\r\n\r\n');
  await new Promise((resolve) => socket.on('close', resolve));
  return /X-Backend: (\w+)/.exec(text)?.[1] ?? 'closed';
}

const overTcp = ({ tcpListen }: Place) => overSocket(connect(tcpListen, '127.0.0.1'));
const overTls =
  (servername: string) =>
  ({ tlsListen }: Place) =>
    overSocket(
      connectTls({ host: '127.0.0.1', port: tlsListen, servername, rejectUnauthorized: false }),
    );

async function overUdp({ udpListen }: Place): Promise<string> {
  const socket = createSocket('udp4');
  try {
    socket.send('hello', udpListen, '127.0.0.1');
    const [message] = await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
    return String(message);
  } finally {
    socket.close();
  }
}

interface StreamRow {
  readonly name: string;
  readonly objects: (place: Place) => readonly object[];
  readonly looks: readonly (readonly [look: (place: Place) => Promise<string>, sees: string])[];
}

const onGateway = (kind: string, listener: object, spec: object = {}) => [
  gatewayClass('kong'),
  gateway('kong', listener),
  // Which Gateway took it decides whether TLS is passed on.
  { ...route(kind, spec), status: { parents: [{ parentRef: { name: 'gw' } }] } },
];

const streamRows: readonly StreamRow[] = [
  {
    name: 'TCPIngress by port',
    objects: (place) => [...tcpBackend(place), streamIngress('TCPIngress', place.tcpListen)],
    looks: [[overTcp, 'one']],
  },
  {
    name: 'TCPIngress by server name',
    objects: (place) => [
      ...tcpBackend(place),
      streamIngress('TCPIngress', place.tlsListen, { host: 'stream.test' }),
    ],
    looks: [
      [overTls('stream.test'), 'one'],
      [overTls('other.test'), 'closed'],
    ],
  },
  {
    name: 'TCPIngress on another port',
    objects: (place) => [...tcpBackend(place), streamIngress('TCPIngress', 9)],
    looks: [[overTcp, 'closed']],
  },
  {
    name: 'UDPIngress',
    objects: (place) => [...udpBackend(place), streamIngress('UDPIngress', place.udpListen)],
    looks: [[overUdp, 'udp hello']],
  },
  {
    name: 'TCPRoute',
    objects: (place) => [
      ...tcpBackend(place),
      ...onGateway('TCPRoute', { protocol: 'TCP', port: place.tcpListen }),
    ],
    looks: [[overTcp, 'one']],
  },
  {
    name: 'UDPRoute',
    objects: (place) => [
      ...udpBackend(place),
      ...onGateway('UDPRoute', { protocol: 'UDP', port: place.udpListen }),
    ],
    looks: [[overUdp, 'udp hello']],
  },
  {
    name: 'TLSRoute that passes TLS on',
    objects: (place) => [
      ...tlsBackend(place),
      ...onGateway(
        'TLSRoute',
        { protocol: 'TLS', port: place.tlsListen, tls: { mode: 'Passthrough' } },
        { hostnames: ['stream.test'] },
      ),
    ],
    looks: [
      [overTls('stream.test'), 'secure'],
      [overTls('other.test'), 'closed'],
    ],
  },
  {
    name: 'TLSRoute that ends TLS',
    objects: (place) => [
      ...tcpBackend(place),
      ...onGateway(
        'TLSRoute',
        { protocol: 'TLS', port: place.tlsListen, tls: { mode: 'Terminate' } },
        { hostnames: ['stream.test'] },
      ),
    ],
    looks: [[overTls('stream.test'), 'one']],
  },
];

interface GrpcRow {
  readonly name: string;
  readonly objects: readonly object[];
  readonly calls: readonly {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Whether it arrives at the backend. */
    readonly arrives: boolean;
    readonly sees?: Readonly<Record<string, string>>;
  }[];
}

const onBoth = (rule: object) => [
  gatewayClass('kong'),
  object('gateway.networking.k8s.io/v1', 'Gateway', 'gw', {
    spec: {
      gatewayClassName: 'kong',
      listeners: [
        { name: 'plain', protocol: 'HTTP', port: 80 },
        { name: 'secure', protocol: 'HTTPS', port: 443 },
      ],
    },
  }),
  route('GRPCRoute', { hostnames: ['example.com'], rule }),
];
const grpcRoute = (...matches: readonly object[]) => onBoth({ matches });
const grpcFiltered = (...filters: readonly object[]) => onBoth({ filters });

const grpcRows: readonly GrpcRow[] = [
  {
    name: 'GRPCRoute by service and method',
    objects: grpcRoute({ method: { service: 'shop.Cart', method: 'Add' } }),
    calls: [
      { path: '/shop.Cart/Add', arrives: true },
      { path: '/shop.Cart/Remove', arrives: false },
    ],
  },
  {
    name: 'GRPCRoute by service',
    objects: grpcRoute({ method: { service: 'shop.Cart' } }),
    calls: [
      { path: '/shop.Cart/Any', arrives: true },
      { path: '/shop.Other/Any', arrives: false },
    ],
  },
  {
    name: 'GRPCRoute by pattern',
    objects: grpcRoute({
      method: { type: 'RegularExpression', service: 'shop\\.[A-Z]\\w+', method: 'Get.*' },
    }),
    calls: [
      { path: '/shop.Cart/GetAll', arrives: true },
      { path: '/shop.Cart/PutAll', arrives: false },
    ],
  },
  {
    name: 'GRPCRoute by header',
    objects: grpcRoute({ headers: [{ name: 'x-version', value: '2' }] }),
    calls: [
      { path: '/any.Thing/Do', headers: { 'x-version': '2' }, arrives: true },
      { path: '/any.Thing/Do', arrives: false },
    ],
  },
  {
    name: 'GRPCRoute by header pattern',
    objects: grpcRoute({
      headers: [{ name: 'x-version', type: 'RegularExpression', value: '^2' }],
    }),
    calls: [
      { path: '/any.Thing/Do', headers: { 'x-version': '2.1' }, arrives: true },
      { path: '/any.Thing/Do', headers: { 'x-version': '1.2' }, arrives: false },
    ],
  },
  {
    name: 'GRPCRoute with a plugin as filter',
    objects: [
      ...grpcFiltered({
        type: 'ExtensionRef',
        extensionRef: { group: 'configuration.konghq.com', kind: 'KongPlugin', name: 'limit' },
      }),
      plugin('limit', 'ip-restriction', { deny: ['127.0.0.0/8'] }),
    ],
    calls: [{ path: '/any.Thing/Do', arrives: false }],
  },
  {
    name: 'GRPCRoute that sets a header',
    objects: grpcFiltered({
      type: 'RequestHeaderModifier',
      requestHeaderModifier: { set: [{ name: 'x-set', value: 'set' }] },
    }),
    calls: [{ path: '/any.Thing/Do', arrives: true, sees: { 'x-set': 'set' } }],
  },
  {
    name: 'Ingress with gRPC protocols',
    objects: [ingress('example.com', { 'konghq.com/protocols': 'grpc,grpcs' })],
    calls: [{ path: '/any.Thing/Do', arrives: true }],
  },
];

/** Whether a call without a message ends well. */
async function call(crossing: Crossing, path: string, headers: object): Promise<boolean> {
  const at = crossing.addresses.proxy.find(({ isTls }) => isTls);
  const session = connectHttp2(`https://127.0.0.1:${at?.port}`, {
    servername: 'example.com',
    rejectUnauthorized: false,
  });
  try {
    const stream = session.request({
      ...{ ':method': 'POST', ':path': path, ':authority': 'example.com' },
      ...{ 'content-type': 'application/grpc', te: 'trailers', ...headers },
    });
    stream.end();
    stream.resume();
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
    await once(stream, 'close');
    return answer[constants.HTTP2_HEADER_STATUS] === 200 && answer['grpc-status'] === undefined;
  } finally {
    session.close();
  }
}

describe.each(['traditional_compatible', 'expressions'] as const)('streams, %s', (flavor) => {
  const crossing = new Crossing(flavor);
  beforeAll(() => crossing.start());
  afterAll(() => crossing.stop());

  test.each(streamRows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { place } = crossing;
    await crossing.load(row.objects(place));
    for (const [look, sees] of row.looks) expect(await look(place)).toBe(sees);
  });

  test('a filter of a GRPCRoute that is not understood leaves its rule out, and is told', () => {
    const objects = [service('web'), ...grpcFiltered({ type: 'RequestMirror', requestMirror: {} })];
    expect(() => crossing.translated(objects)).toThrow('httpFilter RequestMirror unsupported');
  });

  test.each(['HTTPRoute', 'GRPCRoute'])('a filter of one backend of a %s is told', (kind) => {
    const filters = [{ type: 'RequestHeaderModifier', requestHeaderModifier: { remove: ['x'] } }];
    const objects = [service('web'), route(kind, { backend: { filters } })];
    expect(() => crossing.translated(objects)).toThrow(/filters of a single backendRef/);
  });

  test.each(grpcRows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { place } = crossing;
    const backend = [
      service('web', { 'konghq.com/protocol': 'grpc' }),
      ...slice('web', [place.grpc]),
    ];
    await crossing.load([...backend, ...row.objects]);
    for (const { path, headers = {}, arrives, sees = {} } of row.calls) {
      crossing.seen.length = 0;
      expect({ path, arrives: await call(crossing, path, headers) }).toEqual({ path, arrives });
      expect(crossing.seen.map(({ by, url }) => [by, url])).toEqual(
        arrives ? [['grpc', path]] : [],
      );
      expect(crossing.seen.at(-1)?.headers ?? {}).toMatchObject(sees);
    }
  });
});

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket as LineSocket, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { metricLine, packLines } from './metric-line.ts';
import { severityOf, syslogPriority } from './severity.ts';

const gateway = new PluginGateway();
const sockets: Socket[] = [];
const servers: Server[] = [];

afterEach(async () => {
  await gateway.stop();
  for (const socket of sockets.splice(0)) socket.close();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A server of datagrams that can be waited for. */
async function datagrams() {
  const socket = createSocket('udp4');
  sockets.push(socket);
  const got: string[] = [];
  socket.on('message', (message) => got.push(message.toString()));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    got,
    /** Waits until so many are there. */
    async next(count: number): Promise<readonly string[]> {
      while (got.length < count) await once(socket, 'message');
      return got;
    },
  };
}

interface Entry {
  readonly request: { readonly uri: string };
  readonly response: { readonly status: number };
  readonly upstream_status: string;
  readonly workspace: string;
  readonly latencies: { readonly receive: number };
}

describe('lines in datagrams', () => {
  test('udp-log sends one for each request', async () => {
    const server = await datagrams();
    const backend = await gateway.backend('b');
    await gateway.start(backend, [
      { name: 'udp-log', config: { host: '127.0.0.1', port: server.port } },
    ]);
    await gateway.ask({ path: '/a' });
    await gateway.ask({ path: '/b' });
    const entries = (await server.next(2)).map((line) => JSON.parse(line) as Entry);
    expect(entries.map((entry) => entry.request.uri)).toEqual(['/a', '/b']);
    expect(entries[0]).toMatchObject({ upstream_status: '200', workspace_name: 'default' });
    expect(entries[0]?.workspace).toMatch(/^[0-9a-f-]{36}$/);
    expect(entries[0]?.latencies.receive).toBeGreaterThanOrEqual(0);
  });

  test('loggly has a key, tags and a priority by the status, and leaves out what is less than asked for', async () => {
    const server = await datagrams();
    const backend = await gateway.backend('b', ({ url }) => ({
      status: url === '/bad' ? 500 : 200,
    }));
    const config = {
      host: '127.0.0.1',
      port: server.port,
      key: 'k1',
      tags: ['one', 'two'],
      log_level: 'warning',
      server_errors_severity: 'err',
    };
    await gateway.start(backend, [{ name: 'loggly', config }]);
    await gateway.ask({ path: '/good' });
    await gateway.ask({ path: '/bad' });
    const [line = ''] = await server.next(1);
    expect(line).toMatch(
      /^<11>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \S+ kong - - \[k1@41058 tag="one" tag="two"\] \{/,
    );
    expect(server.got).toHaveLength(1);
  });

  test('syslog goes to the daemon that the gateway was told of', async () => {
    const server = await datagrams();
    const backend = await gateway.backend('b');
    const syslog = { host: '127.0.0.1', port: server.port };
    await gateway.start(
      backend,
      [{ name: 'syslog', config: { facility: 'local3' } }],
      {},
      { syslog },
    );
    await gateway.ask({ path: '/x' });
    const [line = ''] = await server.next(1);
    expect(line).toMatch(/^<158>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ kong\[\d+\]: \{"request"/);
  });

  test('a server that is not there costs no request anything', async () => {
    const server = await datagrams();
    const { port } = server;
    for (const socket of sockets.splice(0)) socket.close();
    const backend = await gateway.backend('b');
    await gateway.start(backend, [
      { name: 'udp-log', config: { host: '127.0.0.1', port } },
      { name: 'statsd', config: { host: 'nowhere.invalid', port } },
      { name: 'zipkin', config: { http_endpoint: `http://127.0.0.1:${port}/`, sample_ratio: 1 } },
    ]);
    const answers = await Promise.all([1, 2, 3].map(() => gateway.ask()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('numbers', () => {
  test('datadog tags them with service, status and consumer', async () => {
    const server = await datagrams();
    const backend = await gateway.backend('b', () => ({ status: 201 }));
    const metrics = [
      { name: 'request_count', stat_type: 'counter', sample_rate: 0.5, tags: ['app:kong'] },
      { name: 'latency', stat_type: 'distribution' },
    ];
    await gateway.start(backend, [
      { name: 'datadog', config: { host: '127.0.0.1', port: server.port, prefix: 'p', metrics } },
    ]);
    await gateway.ask();
    const [count, latency] = await server.next(2);
    expect(count).toBe('p.request.count:1|c|@0.5|#name:s,status:201,app:kong');
    expect(latency).toMatch(/^p\.latency:\d+\|d\|#name:s,status:201$/);
  });

  test('statsd names them by service and user', async () => {
    const server = await datagrams();
    const backend = await gateway.backend('b');
    const metrics = [
      { name: 'request_count', stat_type: 'counter', sample_rate: 1 },
      { name: 'status_count', stat_type: 'counter', sample_rate: 1 },
      { name: 'unique_users', stat_type: 'set', consumer_identifier: 'username' },
      {
        name: 'request_per_user',
        stat_type: 'counter',
        sample_rate: 1,
        consumer_identifier: 'username',
      },
      {
        name: 'status_count_per_workspace',
        stat_type: 'counter',
        sample_rate: 1,
        workspace_identifier: 'workspace_name',
      },
    ];
    const config = { host: '127.0.0.1', port: server.port, metrics };
    await gateway.start(backend, [{ name: 'statsd', config }, { name: 'key-auth' }], {
      consumers: [{ username: 'ann', keyauth_credentials: [{ key: 'k' }] }],
    });
    await gateway.ask({ headers: { apikey: 'k' } });
    expect(await server.next(5)).toEqual([
      'kong.service.s.request.count:1|c',
      'kong.service.s.status.200:1|c',
      'kong.service.s.user.uniques:ann|s',
      'kong.service.s.user.ann.request.count:1|c',
      'kong.service.s.workspace.default.status.200:1|c',
    ]);
  });

  test('statsd counts only the statuses that it is told to, and speaks TCP', async () => {
    let text = '';
    const server = createServer((socket) =>
      socket.on('data', (chunk) => (text += chunk.toString())),
    );
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const backend = await gateway.backend('b');
    const config = {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      use_tcp: true,
      allow_status_codes: ['400-499'],
      tag_style: 'influxdb',
      metrics: [
        { name: 'status_count', stat_type: 'counter', sample_rate: 1 },
        { name: 'request_count', stat_type: 'counter', sample_rate: 1 },
      ],
    };
    await gateway.start(backend, [{ name: 'statsd', config }]);
    const connection = once(server, 'connection') as Promise<[LineSocket]>;
    await gateway.ask();
    const [socket] = await connection;
    await once(socket, 'close');
    expect(text).toMatch(
      /^kong\.request\.count,service=s,route=r,workspace=[0-9a-f_]+,node=[^,]+,status=200:1\|c\n$/,
    );
  });

  test.each([
    ['dogstatsd', 'p.n:2|g|#a:b,c:d'],
    ['influxdb', 'p.n,a=b,c=d:2|g'],
    ['librato', 'p.n#a=b,c=d:2|g'],
    ['signalfx', 'p.n[a=b,c=d]:2|g'],
  ] as const)('tags in the style of %s', (style, line) => {
    const tags = [
      ['a', 'b'],
      ['c', 'd'],
    ] as const;
    expect(metricLine('p', { name: 'n', value: 2, kind: 'gauge', rate: 1, tags }, style)).toBe(
      line,
    );
  });

  test('lines share a packet while they fit', () => {
    expect(packLines(['aa', 'bb', 'cccc', 'd'], 5)).toEqual(['aa\nbb', 'cccc', 'd']);
    expect(packLines(['aa', 'bb'], 0)).toEqual(['aa', 'bb']);
    expect(packLines(['longer than that'], 5)).toEqual(['longer than that']);
  });
});

describe('zipkin', () => {
  interface Span {
    readonly name: string;
    readonly kind: string;
    readonly id: string;
    readonly parentId?: string;
    readonly traceId: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly remoteEndpoint?: { readonly port: number };
  }

  test('reports the request, the upstream and each try, and goes on with the trace', async () => {
    const collector = await gateway.backend('collector', () => ({ status: 202 }));
    const backend = await gateway.backend('b');
    const config = { http_endpoint: `http://127.0.0.1:${collector}/api/v2/spans`, sample_ratio: 1 };
    await gateway.start(backend, [{ name: 'zipkin', config }]);
    await gateway.ask({ path: '/z?q=1', headers: { 'Zipkin-Tags': 'shop=x; n=1' } });
    while (!gateway.received.some(({ server }) => server === 'collector')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const sent = gateway.received.find(({ server }) => server === 'collector');
    const spans = JSON.parse(sent?.body ?? '') as Span[];
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ['GET', 'SERVER'],
      ['GET (proxy)', 'CLIENT'],
      ['GET (balancer try 1)', 'CLIENT'],
    ]);
    const [request, proxy] = spans;
    expect(request?.tags).toMatchObject({
      'http.path': '/z',
      'http.status_code': '200',
      'kong.service_name': 's',
      shop: 'x',
      n: '1',
    });
    expect(proxy?.parentId).toBe(request?.id);
    expect(proxy?.remoteEndpoint?.port).toBe(backend);
    const upstream = gateway.received.find(({ server }) => server === 'b');
    expect(upstream?.headers['x-b3-traceid']).toBe(request?.traceId);
    expect(upstream?.headers['x-b3-spanid']).toBe(proxy?.id);
  });

  test('a trace that is not sampled is passed on and not reported', async () => {
    const collector = await gateway.backend('collector');
    const backend = await gateway.backend('b');
    const config = {
      http_endpoint: `http://127.0.0.1:${collector}/`,
      sample_ratio: 1,
      http_response_header_for_traceid: 'x-trace',
    };
    await gateway.start(backend, [{ name: 'zipkin', config }]);
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await gateway.ask({ headers: { b3: `${id}-00f067aa0ba902b7-0` } });
    expect(answer.headers['x-trace']).toBe(id);
    await gateway.stop();
    expect(gateway.received.filter(({ server }) => server === 'collector')).toEqual([]);
  });
});

describe('severities', () => {
  const config = {
    log_level: 'warning',
    successful_severity: 'info',
    client_errors_severity: 'warning',
    server_errors_severity: 'crit',
  } as const;
  test.each([
    [200, undefined],
    [404, 4],
    [503, 2],
  ])('of %i', (status, severity) => expect(severityOf(config, status)).toBe(severity));

  test('facilities have their numbers', () => {
    expect(syslogPriority('user', 6)).toBe(14);
    expect(syslogPriority('authpriv', 3)).toBe(83);
    expect(syslogPriority('local7', 7)).toBe(191);
  });
});

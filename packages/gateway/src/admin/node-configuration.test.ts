import { afterEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import type { GatewayOptions } from '../gateway-options.ts';

const gateways: Gateway[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
});

interface Listener {
  readonly ip: string;
  readonly port: number;
  readonly ssl: boolean;
  readonly http2?: boolean;
  readonly udp?: boolean;
  readonly proxy_protocol: boolean;
  readonly listener: string;
}

async function start(options: GatewayOptions) {
  const gateway = new Gateway(options);
  gateways.push(gateway);
  const addresses = await gateway.start();
  const reply = await fetch(`http://127.0.0.1:${addresses.admin!.port}/`);
  const { configuration } = (await reply.json()) as { configuration: Record<string, unknown> };
  return { addresses, configuration };
}

const port = { host: '127.0.0.1', port: 0 };

describe('the configuration of GET /', () => {
  test('has every key that Kong has', async () => {
    const { configuration } = await start({});
    expect(Object.keys(configuration)).toHaveLength(234);
    expect(configuration).toMatchObject({
      database: 'off',
      role: 'traditional',
      lua_max_uri_args: 100,
    });
  });

  test('says where requests and streams are taken, with the ports that the node got', async () => {
    const { addresses, configuration } = await start({
      proxy: [
        port,
        { ...port, isTls: true },
        { ...port, isHttp2Only: true, isProxyProtocol: true },
      ],
      streams: [
        { ...port, kind: 'tcp' },
        { ...port, kind: 'tls' },
        { ...port, kind: 'udp' },
      ],
      status: port,
    });
    const proxy = configuration.proxy_listeners as Listener[];
    expect(proxy.map((each) => each.port)).toEqual(addresses.proxy.map((each) => each.port));
    expect(proxy.map(({ ssl, http2, proxy_protocol }) => [ssl, http2, proxy_protocol])).toEqual([
      [false, false, false],
      [true, true, false],
      [false, true, true],
    ]);
    expect(configuration.proxy_listen).toEqual([
      `127.0.0.1:${proxy[0]?.port}`,
      `127.0.0.1:${proxy[1]?.port} http2 ssl`,
      `127.0.0.1:${proxy[2]?.port} http2 proxy_protocol`,
    ]);
    const streams = configuration.stream_listeners as Listener[];
    expect(streams.map((each) => each.port)).toEqual(addresses.streams.map((each) => each.port));
    expect(streams.map(({ listener }) => listener.replace(/:\d+/, ''))).toEqual([
      '127.0.0.1',
      '127.0.0.1 ssl',
      '127.0.0.1 udp',
    ]);
    const admin = configuration.admin_listeners as Listener[];
    expect(admin.map((each) => each.port)).toEqual([addresses.admin?.port]);
    const status = configuration.status_listeners as Listener[];
    expect(status.map((each) => each.port)).toEqual([addresses.status?.port]);
  });

  test('nothing is an empty map, as Lua writes it, and the setting says off', async () => {
    const { configuration } = await start({ proxy: [] });
    expect(configuration).toMatchObject({
      proxy_listen: ['off'],
      proxy_listeners: {},
      stream_listen: ['off'],
      stream_listeners: {},
      trusted_ips: {},
    });
  });

  test('a port that clients know by another number is in the port maps', async () => {
    const { configuration, addresses } = await start({
      proxy: [{ ...port, publicPort: 80 }],
      trustedIps: ['10.0.0.0/8'],
      areDebugHeadersAllowed: true,
      flavor: 'expressions',
      mode: 'database',
    });
    const own = addresses.proxy[0]?.port ?? 0;
    expect(configuration).toMatchObject({
      port_maps: [`80:${own}`],
      host_ports: { [own]: 80 },
      trusted_ips: ['10.0.0.0/8'],
      allow_debug_header: true,
      router_flavor: 'expressions',
      database: 'postgres',
    });
  });
});

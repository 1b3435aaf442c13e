import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';
import { makeCertificate } from '../testing/make-certificate.ts';

let gateway: Gateway | undefined;
let backend: Server | undefined;

afterEach(async () => {
  await gateway?.stop();
  backend?.close();
});

/** What comes back of a stream; nothing if the gateway closes it. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('hello'));
    socket.on('data', (data) => {
      got += data.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
}

test.each([
  ['up.test', 'up.test', 'up.test'],
  ['other.test', 'up.test', ''],
  // Without a name of its own the target must be its address, which may not be asked for.
  [undefined, 'up.test', ''],
  [undefined, '127.0.0.1', 'false'],
])(
  'a backend that its upstream calls %s and that is %s is asked by name alone',
  async (name, certified, said) => {
    const pair = await makeCertificate(certified);
    backend = createServer(pair, (socket: TLSSocket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(String(socket.servername)));
    }).listen(0, '127.0.0.1');
    backend.on('tlsClientError', () => undefined);
    await once(backend, 'listening');
    const id = '00000000-0000-4000-8000-000000000001';
    const target = `127.0.0.1:${(backend.address() as AddressInfo).port}`;
    gateway = new Gateway({
      flavor: 'expressions',
      proxy: [],
      streams: [{ kind: 'tcp', host: '127.0.0.1', port: 0, publicPort: 7_005 }],
      admin: false,
      drainMs: 0,
      config: {
        _format_version: '3.0',
        ca_certificates: [{ id, cert: pair.cert }],
        upstreams: [{ name: 'u', targets: [{ target }], ...(name && { host_header: name }) }],
        services: [
          {
            name: 's',
            protocol: 'tls',
            host: 'u',
            port: 443,
            tls_verify: true,
            ca_certificates: [id],
            routes: [{ name: 'r', protocols: ['tcp'], expression: 'net.dst.port == 7005' }],
          },
        ],
      },
    });
    const { streams } = await gateway.start();
    expect(await ask(streams[0]?.port ?? 0)).toBe(said);
  },
);

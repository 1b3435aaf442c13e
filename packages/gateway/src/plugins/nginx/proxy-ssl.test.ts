import { connect, createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../testing/make-certificate.ts';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
let backend: Server | undefined;

afterEach(async () => {
  await world.stop();
  backend?.closeAllConnections();
  await new Promise((resolve) => backend?.close(resolve) ?? resolve(undefined));
});

const sent = (names: readonly string[]) => ({
  name: 'asked.test',
  server_name: true,
  alternative_names: names,
});

describe('proxy-ssl', () => {
  test.each<[object, number, string | false]>([
    [{ name: 'backend.test', server_name: true }, 200, 'backend.test'],
    [{ name: 'backend.test' }, 200, false],
    [{ name: 'other.test', server_name: true }, 502, 'other.test'],
    [{}, 502, false],
    [sent(['DNS:backend.test']), 200, 'asked.test'],
    [sent(['DNS:none.test', 'DNS:backend.test']), 200, 'asked.test'],
    [sent(['DNS:asked.test']), 502, 'asked.test'],
    [sent(['URI:spiffe://a/b']), 502, 'asked.test'],
  ])('%o: %i, and the name that is sent is %s', async (config, status, sni) => {
    const pair = await makeCertificate('backend.test');
    const names: unknown[] = [];
    backend = createServer(pair, (_request, reply) => reply.end('ok'));
    backend.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername));
    await new Promise<void>((resolve) => backend?.listen(0, '127.0.0.1', resolve));
    const id = '00000000-0000-4000-8000-000000000001';
    await world.start(0, [], {
      ca_certificates: [{ id, cert: pair.cert }],
      services: [
        {
          name: 's',
          protocol: 'https',
          host: '127.0.0.1',
          port: (backend.address() as AddressInfo).port,
          tls_verify: true,
          ca_certificates: [id],
          routes: [
            {
              name: 'r',
              paths: ['/'],
              preserve_host: true,
              plugins: [{ name: 'nginx-proxy' }, { name: 'proxy-ssl', config }],
            },
          ],
        },
      ],
    });
    expect((await world.ask()).status).toBe(status);
    expect(new Set(names.map((name) => name || false))).toEqual(
      new Set(names.length === 0 ? [] : [sni]),
    );
  });
});

describe('proxy-ssl for gRPC', () => {
  let called: Http2SecureServer | undefined;
  afterEach(() => new Promise((resolve) => called?.close(resolve) ?? resolve(undefined)));

  /** The status of one call through the gateway. */
  async function call(): Promise<number> {
    const session = connect(`https://127.0.0.1:${world.securePort}`, { rejectUnauthorized: false });
    const headers = { ':method': 'POST', ':path': '/a.B/C', 'content-type': 'application/grpc' };
    const stream = session.request(headers);
    const status = new Promise<number>((resolve, reject) => {
      stream.once('response', (answer) => resolve(Number(answer[':status'])));
      stream.once('error', reject);
    });
    stream.resume();
    stream.end();
    return status.finally(() => session.close());
  }

  test.each([
    ['its authority and name', 'own', 'backend.test', 200],
    ['another authority', 'other', 'backend.test', 502],
    ['those that the system trusts', 'none', 'backend.test', 502],
    ['another name', 'own', 'asked.test', 502],
    ['nothing', 'unverified', 'asked.test', 200],
  ])('a backend that is verified by %s', async (_, trusted, name, status) => {
    const pair = await makeCertificate('backend.test');
    const other = await makeCertificate('other.test');
    const authorities: Record<string, string[] | null> = {
      own: [other.cert, pair.cert],
      other: [other.cert],
      none: [],
      unverified: null,
    };
    called = createSecureServer(pair);
    called.on('session', (session) => session.on('error', () => undefined));
    called.on('stream', (stream) => stream.respond({ ':status': 200 }, { endStream: true }));
    await new Promise<void>((resolve) => called?.listen(0, '127.0.0.1', resolve));
    const config = { name, server_name: true, grpc_authorities: authorities[trusted] };
    await world.start(0, [], {
      services: [
        {
          name: 's',
          protocol: 'grpcs',
          host: '127.0.0.1',
          port: (called.address() as AddressInfo).port,
          routes: [
            {
              name: 'r',
              paths: ['/'],
              protocols: ['grpcs'],
              plugins: [{ name: 'proxy-ssl', config }],
            },
          ],
        },
      ],
    });
    expect(await call()).toBe(status);
  });
});

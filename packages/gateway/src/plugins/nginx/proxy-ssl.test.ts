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

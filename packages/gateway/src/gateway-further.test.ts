import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from './gateway.ts';
import { ownPort } from './testing/own-port.ts';

const host = '127.0.0.1';

async function statusAt(port: number): Promise<number | string> {
  try {
    const [answer] = await once(request({ host, port, agent: false }).end(), 'response');
    answer.resume();
    return answer.statusCode;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

describe('ports that are opened while the gateway runs', () => {
  let gateway: Gateway;
  let port: number;

  beforeEach(async () => {
    port = await ownPort();
    gateway = new Gateway({
      admin: false,
      proxy: [],
      flavor: 'expressions',
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 'here',
            host,
            port: 1,
            routes: [{ name: 'here', expression: `net.dst.port == ${port}`, priority: 1 }],
            plugins: [{ name: 'request-termination', config: { status_code: 204 } }],
          },
        ],
      },
    });
    await gateway.start();
  });

  afterEach(() => gateway.stop());

  test('serve from the next connection on, until they are not wanted any more', async () => {
    expect(await statusAt(port)).toBe('ECONNREFUSED');
    expect(await gateway.listenAlso([{ host, port, kind: 'http' }])).toEqual([]);
    expect(await statusAt(port)).toBe(204);
    // The second time, beside another.
    const other = await ownPort();
    const both = [port, other].map((one) => ({ host, port: one, kind: 'http' as const }));
    expect(await gateway.listenAlso(both)).toEqual([]);
    expect([await statusAt(port), await statusAt(other)]).toEqual([204, 404]);
    expect(await gateway.listenAlso([{ host, port: other, kind: 'http' }])).toEqual([]);
    expect([await statusAt(port), await statusAt(other)]).toEqual(['ECONNREFUSED', 404]);
  });

  test('may speak something else', async () => {
    await gateway.listenAlso([{ host, port, kind: 'http' }]);
    expect(await gateway.listenAlso([{ host, port, kind: 'tcp' }])).toEqual([]);
    const socket = connect(port, host);
    await once(socket, 'close');
  });

  test('are refused one by one', async () => {
    const taken = createServer().listen(0, host);
    await once(taken, 'listening');
    const { port: busy } = taken.address() as AddressInfo;
    const wanted = [busy, port].map((one) => ({ host, port: one, kind: 'http' as const }));
    expect(await gateway.listenAlso(wanted)).toEqual([
      { host, port: busy, kind: 'http', code: 'EADDRINUSE' },
    ]);
    expect(await statusAt(port)).toBe(204);
    taken.close();
    await once(taken, 'close');
    // What was refused is tried again with the next call.
    expect(await gateway.listenAlso(wanted)).toEqual([]);
    expect(await statusAt(busy)).toBe(404);
  });
});

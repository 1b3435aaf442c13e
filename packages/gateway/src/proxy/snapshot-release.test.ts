import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { Gateway } from '../gateway.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestSnapshot } from '../plugin/request-context.ts';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('a WebSocket that lives on does not hold the configuration that it came with', async () => {
  const sockets: Socket[] = [];
  const backend = createServer().on('upgrade', (_request, socket) => {
    sockets.push(socket as Socket);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    );
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  let held: WeakRef<RequestSnapshot> | undefined;
  const observer = definePlugin({
    name: 'observer',
    priority: 1,
    schema: { fields: [{ config: { type: 'record', fields: [] } }] },
    access: ({ snapshot }) => {
      held = new WeakRef(snapshot);
    },
  });
  const service = { name: 's', host: '127.0.0.1', port: (backend.address() as AddressInfo).port };
  const config = (path: string) => ({
    _format_version: '3.0',
    services: [{ ...service, routes: [{ name: 'r', paths: [path] }] }],
    plugins: [{ name: 'observer' }],
  });
  const gateway = new Gateway({
    config: config('/'),
    plugins: [observer],
    proxy: [{ host: '127.0.0.1', port: 0 }],
  });
  try {
    const { proxy, admin } = await gateway.start();
    const client = connect(proxy[0]!.port, '127.0.0.1');
    sockets.push(client);
    client.write(
      'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    );
    expect(String(await once(client, 'data'))).toContain('101 Switching Protocols');
    const changed = await fetch(`http://127.0.0.1:${admin!.port}/config`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(config('/elsewhere')),
    });
    expect(changed.status).toBe(201);
    await vi.waitFor(() => {
      collectGarbage();
      expect(held).toBeDefined();
      expect(held?.deref()).toBeUndefined();
    }, patience);
    expect(client.readyState).toBe('open');
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
    backend.close();
  }
});

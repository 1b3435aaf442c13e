import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

async function start(config: object): Promise<void> {
  await world.start(await world.backend('a'), [], { plugins: [{ name: 'nginx-server', config }] });
}

/** What was agreed on with a client, or that nothing was. */
async function handshake(options: object): Promise<string> {
  const socket = connectTls({
    port: world.securePort,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...options,
  });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol()} ${socket.alpnProtocol || 'no protocol'}`;
  } catch {
    return 'refused';
  } finally {
    socket.destroy();
  }
}

const both = { ALPNProtocols: ['h2', 'http/1.1'], servername: 'shop.test' };
const old = { ...both, maxVersion: 'TLSv1.2' };

describe('nginx-server', () => {
  test.each<[object, object, string]>([
    [{}, both, 'TLSv1.3 h2'],
    [{ http2: false }, both, 'TLSv1.3 http/1.1'],
    [{ protocols: ['TLSv1.3'] }, old, 'refused'],
    [{ protocols: ['TLSv1.2'] }, both, 'TLSv1.2 h2'],
    [{ ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }, { ...old, ciphers: 'AES128-SHA' }, 'refused'],
    [{ ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }, both, 'TLSv1.3 h2'],
    [{ reject_unknown: true }, both, 'refused'],
  ])('%j meets %j with %s', async (config, client, expected) => {
    await start(config);
    expect(await handshake(client)).toBe(expected);
  });

  test('what cannot be read is refused with a page of nginx, and says nothing of us', async () => {
    await start({});
    const socket = connect(world.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    let text = '';
    for await (const chunk of socket) {
      text += chunk;
    }
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('<center>nginx</center>');
    expect(text).not.toMatch(/kong/i);
  });

  test('ciphers that there are not are refused when they are configured', async () => {
    await expect(start({ ciphers: 'NONE-SUCH' })).rejects.toThrow(/ciphers/);
  });
});

import { encodeProxyV2, parseProxyHeader } from '@waygate/text';
import { describe, expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import {
  backendWith,
  endProxiesAfterEach,
  hello,
  oneHost,
  startProxy,
  to,
} from '../test/running-proxy.ts';
import { dial, read } from './testing/sockets.ts';

endProxiesAfterEach();

describe('PROXY protocol', () => {
  test('version 2 tells the backend the client, the name and the protocol', async () => {
    const backend = await backendWith();
    const { port } = await startProxy(oneHost({ ...to('a', backend), proxyProtocol: 'v2' }));
    const client = await dial(port);
    client.write(hello);
    const header = encodeProxyV2(
      {
        sourceAddress: '127.0.0.1',
        sourcePort: client.localPort!,
        destinationAddress: '127.0.0.1',
        destinationPort: port,
      },
      { authority: 'a.example.com', alpn: 'h2' },
    );
    expect(await read(await backend.connection(0), header.length + hello.length)).toEqual(
      Buffer.concat([header, hello]),
    );
    client.destroy();
  });

  test('from a trusted peer it names the client; the header is not passed on', async () => {
    const backend = await backendWith();
    const { port, ended } = await startProxy({
      ...oneHost({ ...to('a', backend), proxyProtocol: 'v1' }),
      proxyProtocol: { mode: 'required', trusted: ['127.0.0.0/8'] },
    });
    const client = await dial(port);
    client.write('PROXY TCP4 203.0.113.7 198.51.100.1 56324 443\r\n');
    client.write(hello);
    const received = await read(await backend.connection(0), 47 + hello.length);
    expect(parseProxyHeader(received)).toMatchObject({
      header: { ends: { sourceAddress: '203.0.113.7' } },
    });
    expect(received.subarray(47)).toEqual(hello);
    client.destroy();
    await vi.waitFor(
      () => expect(ended[0]).toMatchObject({ clientAddress: '203.0.113.7', clientPort: 56324 }),
      patience,
    );
  });

  test('without it, where it is required, the connection is dropped', async () => {
    const { proxy, port } = await startProxy({
      ...oneHost(to('a', await backendWith())),
      proxyProtocol: { mode: 'required', trusted: ['127.0.0.0/8'] },
    });
    const client = await dial(port);
    client.write(hello);
    expect(await read(client)).toHaveLength(0);
    expect(proxy.counters.refusals).toEqual({ 'malformed-proxy-header': 1 });
  });

  test('from a peer that is not trusted it is not TLS', async () => {
    const { proxy, port } = await startProxy({
      ...oneHost(to('a', await backendWith())),
      proxyProtocol: { mode: 'optional', trusted: ['10.0.0.0/8'] },
    });
    const client = await dial(port);
    client.write('PROXY TCP4 203.0.113.7 198.51.100.1 56324 443\r\n');
    await read(client);
    client.end();
    await vi.waitFor(() => expect(proxy.counters.refusals).toEqual({ 'not-tls': 1 }), patience);
  });
});

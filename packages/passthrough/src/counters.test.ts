import { expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import {
  backendWith,
  endProxiesAfterEach,
  hello,
  oneHost,
  startProxy,
  to,
} from '../test/running-proxy.ts';
import { defaultLimits } from './config.ts';
import { buildHello } from './testing/build-hello.ts';
import { closedEndpoint, dial, gone, read } from './testing/sockets.ts';

endProxiesAfterEach();

const nobody = buildHello({ alpn: ['h2'] });
const stranger = buildHello({ serverName: 'b.example.com' });
const none = {
  accepted: 1,
  active: 0,
  pendingHellos: 0,
  serverNameFound: 0,
  serverNameMissing: 0,
  helloBytes: 0,
  refusals: {},
  hosts: {},
};

test.each<[string, Buffer, object]>([
  [
    'one that is carried',
    hello,
    {
      ...none,
      serverNameFound: 1,
      helloBytes: hello.length,
      hosts: {
        'a.example.com': {
          connections: 1,
          active: 0,
          bytesIn: hello.length,
          bytesOut: 6,
          connectFailures: 1,
        },
      },
    },
  ],
  [
    'one without a name',
    nobody,
    {
      ...none,
      serverNameMissing: 1,
      helloBytes: nobody.length,
      refusals: { 'unrecognized-name': 1 },
    },
  ],
  [
    'one with a name that nobody has',
    stranger,
    {
      ...none,
      serverNameFound: 1,
      helloBytes: stranger.length,
      refusals: { 'unrecognized-name': 1 },
    },
  ],
  [
    'one that is no TLS',
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    { ...none, helloBytes: 18, refusals: { 'not-tls': 1 } },
  ],
  ['one that ends early', hello.subarray(0, 9), { ...none, refusals: { 'client-gone': 1 } }],
])('%s counts', async (_what, bytes, expected) => {
  const backend = await backendWith((socket) => socket.resume().end('answer'));
  // The first endpoint of all refuses, once.
  const endpoints = [await closedEndpoint(), backend.endpoint];
  const { proxy, port, ended } = await startProxy(oneHost({ ...to('a'), endpoints }));
  const client = await dial(port);
  client.end(bytes);
  await gone(client);
  await vi.waitFor(() => expect(proxy.counters).toEqual(expected), patience);
  expect(ended).toHaveLength(1);
});

test('a connection counts as active, and its hello as pending, while that is so', async () => {
  const backend = await backendWith();
  const { proxy, port } = await startProxy(oneHost(to('a', backend)));
  const { counters } = proxy;
  const client = await dial(port);
  await vi.waitFor(
    () => expect(counters).toMatchObject({ accepted: 1, active: 1, pendingHellos: 1 }),
    patience,
  );
  client.write(hello);
  await read(await backend.connection(0), hello.length);
  const host = { connections: 1, active: 1, bytesIn: 0, bytesOut: 0, connectFailures: 0 };
  expect(counters).toMatchObject({ active: 1, pendingHellos: 0, hosts: { 'a.example.com': host } });
  client.destroy();
});

test('no more endpoints are tried than may be, and what was tried is counted', async () => {
  const endpoints = await Promise.all(Array.from({ length: 5 }, () => closedEndpoint()));
  const { proxy, port, ended } = await startProxy(oneHost({ name: 'a', endpoints }));
  const client = await dial(port);
  client.end(hello);
  await gone(client);
  await vi.waitFor(() => expect(ended).toHaveLength(1), patience);
  expect(ended[0]).toMatchObject({ refusal: 'backend-unreachable', endpoint: undefined });
  expect(proxy.counters.hosts['a.example.com']).toMatchObject({
    connections: 0,
    connectFailures: defaultLimits.maxConnectAttempts,
  });
});

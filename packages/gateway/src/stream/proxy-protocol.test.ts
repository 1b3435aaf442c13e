import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

/** Says what it was told, and ends. */
let echo: Server;
let gateway: Gateway | undefined;

beforeAll(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => socket.end(Buffer.concat(chunks)));
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
});
afterAll(() => {
  echo.close();
});
afterEach(() => gateway?.stop());

async function start(config: object | undefined): Promise<number> {
  gateway = new Gateway({
    flavor: 'expressions',
    proxy: [],
    streams: [{ kind: 'tcp', host: '127.0.0.1', port: 0, publicPort: 7_005 }],
    admin: false,
    drainMs: 0,
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          protocol: 'tcp',
          host: '127.0.0.1',
          port: (echo.address() as AddressInfo).port,
          routes: [
            {
              name: 'r',
              protocols: ['tcp'],
              expression: 'net.dst.port == 7005',
              plugins: config && [{ name: 'proxy-protocol', protocols: ['tcp'], config }],
            },
          ],
        },
      ],
    },
  });
  const { streams } = await gateway.start();
  return streams[0]?.port ?? 0;
}

function say(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', (data) => {
      got += data.toString();
    });
    socket.on('end', () => resolve(got));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

const header = 'PROXY TCP4 1.2.3.4 5.6.7.8 1000 2000\r\n';

test('a route is found by the port that clients know, and carries bytes as they are', async () => {
  expect(await say(await start(undefined), `${header}hello`)).toBe(`${header}hello`);
});

test('a target is told who the client is', async () => {
  const told = await say(await start({ send: 'v1' }), 'hello');
  expect(told).toMatch(/^PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ 7005\r\nhello$/);
});

test('what a load balancer says is taken off, and told on where that is asked for', async () => {
  expect(await say(await start({ accept: true }), `${header}hello`)).toBe('hello');
  await gateway?.stop();
  const port = await start({ accept: true, send: 'v1' });
  expect(await say(port, `${header}hello`)).toBe(`${header}hello`);
});

test('a client without the header that was asked for is refused, and its bytes go nowhere', async () => {
  expect(await say(await start({ accept: true }), 'hello')).toBe('ECONNRESET');
});

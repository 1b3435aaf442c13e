import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Gateway } from '@waygate/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);

let directory: string;
let backend: Server;
let gateway: Gateway;
let httpPort: number;
let httpsPort: number;

async function certificate(name: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`],
    ...['-keyout', key, '-out', cert],
  ]);
  return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-clients-'));
  backend = createServer((request, reply) => {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      if (request.url === '/trailers') {
        reply.writeHead(200, { Trailer: 'X-Sum' });
        reply.write('body');
        reply.addTrailers({ 'X-Sum': '42' });
        reply.end();
        return;
      }
      reply.end(`${request.method} ${request.url} ${hash.digest('hex')}`);
    });
  });
  backend.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    // Frames of clients are masked; the answer is one text frame with what was in it.
    socket.on('data', (frame: Buffer) => {
      const length = (frame[1] ?? 0) & 0x7f;
      const mask = frame.subarray(2, 6);
      const text = Buffer.from(
        frame.subarray(6, 6 + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0)),
      );
      if (((frame[0] ?? 0) & 0x0f) === 1) {
        socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
      } else {
        socket.end(Buffer.from([0x88, 0x00]));
      }
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const [exact, wild] = [await certificate('one.test'), await certificate('any.wild.test')];
  gateway = new Gateway({
    admin: false,
    config: {
      _format_version: '3.0',
      services: [
        {
          name: 's',
          host: '127.0.0.1',
          port: (backend.address() as AddressInfo).port,
          routes: [{ name: 'r', paths: ['/'] }],
        },
      ],
      certificates: [
        { ...exact, snis: [{ name: 'one.test' }] },
        { ...wild, snis: [{ name: '*.wild.test' }] },
      ],
    },
  });
  const { proxy } = await gateway.start();
  httpPort = proxy[0]?.port ?? 0;
  httpsPort = proxy[1]?.port ?? 0;
});

afterAll(async () => {
  await gateway.stop();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

/** What `openssl s_client` sees when it shakes hands and sends one request. */
async function sClient(...words: string[]): Promise<string> {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${httpsPort}`, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  child.stdin.write('GET /tls HTTP/1.1\r\nHost: one.test\r\nConnection: close\r\n\r\n');
  await once(child, 'exit');
  return text;
}

describe('openssl s_client', () => {
  test.each([
    ['one.test', 'one.test'],
    ['a.wild.test', 'any.wild.test'],
    ['a.b.wild.test', 'localhost'],
    ['other.test', 'localhost'],
  ])('asks for %s and is served the certificate of %s', async (name, subject) => {
    const text = await sClient('-servername', name);
    expect(text).toMatch(new RegExp(`subject=.*CN ?= ?${subject.replaceAll('.', '\\.')}`));
    expect(text).toMatch(/HTTP\/1\.1 200 OK/);
  });

  test('gets the protocol that it asks for', async () => {
    expect(await sClient('-alpn', 'http/1.1')).toMatch(/ALPN protocol: http\/1\.1/);
    expect(await sClient('-tls1_2')).toMatch(/Protocol +: TLSv1\.2|New, TLSv1\.2/);
    expect(await sClient('-tls1_3')).toMatch(/New, TLSv1\.3/);
  });

  test('resumes a session', async () => {
    const session = join(directory, 'session.pem');
    await sClient('-tls1_2', '-servername', 'one.test', '-sess_out', session);
    const again = await sClient('-tls1_2', '-servername', 'one.test', '-sess_in', session);
    expect(again).toMatch(/Reused, TLSv1\.2/);
  });
});

describe('h2 clients', () => {
  test('curl sends and gets large bodies on one connection', async () => {
    const file = join(directory, 'large');
    const body = randomBytes(2_000_000);
    await writeFile(file, body);
    const url = `https://127.0.0.1:${httpsPort}/up`;
    const words = ['-sSk', '--http2', '--data-binary', `@${file}`, '-w', ' %{http_version}\\n'];
    const { stdout } = await run('curl', [...words, url, url]);
    const hash = createHash('sha256').update(body).digest('hex');
    expect(stdout).toBe(`POST /up ${hash} 2\nPOST /up ${hash} 2\n`);
  });

  test('Node has many streams at once, and trailers', async () => {
    const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { rejectUnauthorized: false });
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const stream = session.request({ ':path': `/s${index}` });
        let text = '';
        stream.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        await once(stream, 'end');
        return text.split(' ')[1];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, (_, index) => `/s${index}`));
    const stream = session.request({ ':path': '/trailers' });
    stream.resume();
    expect((await once(stream, 'trailers'))[0]).toMatchObject({ 'x-sum': '42' });
    session.close();
  });
});

describe('a WebSocket client', () => {
  test.each(['ws', 'wss'])('over %s has its messages echoed', async (scheme) => {
    const port = scheme === 'ws' ? httpPort : httpsPort;
    const script = `
      const { WebSocket, Agent } = require('undici');
      const socket = new WebSocket('${scheme}://127.0.0.1:${port}/chat', {
        dispatcher: new Agent({ connect: { rejectUnauthorized: false } }),
      });
      const seen = [];
      socket.onopen = () => socket.send('first');
      socket.onmessage = ({ data }) => {
        seen.push(data);
        if (seen.length === 1) socket.send('second');
        else { console.log(seen.join(',')); socket.close(); }
      };
      socket.onerror = (event) => { console.error(event.error ?? event.message); process.exit(1); };`;
    const { stdout } = await run(process.execPath, ['-e', script], {
      cwd: new URL('../packages/gateway', import.meta.url).pathname,
    });
    expect(stdout.trim()).toBe('first,second');
  });
});

describe('a gRPC client', () => {
  test('calls, streams both ways, and gets its status in trailers, over TLS', async () => {
    const server = createHttp2Server();
    server.on('stream', (stream) => {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }),
      );
      stream.on('data', (chunk: Buffer) => stream.write(chunk));
      stream.on('end', () => stream.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const own = new Gateway({
      admin: false,
      config: {
        _format_version: '3.0',
        services: [
          {
            name: 'g',
            protocol: 'grpc',
            host: '127.0.0.1',
            port: (server.address() as AddressInfo).port,
            routes: [{ name: 'g', protocols: ['grpc', 'grpcs'], paths: ['/shop.Orders'] }],
          },
        ],
      },
    });
    const { proxy } = await own.start();
    const session = connectHttp2(`https://127.0.0.1:${proxy[1]?.port}`, {
      rejectUnauthorized: false,
    });
    const call = session.request({
      ':method': 'POST',
      ':path': '/shop.Orders/Watch',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const message = (text: string) => {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(text.length, 1);
      return Buffer.concat([head, Buffer.from(text)]);
    };
    const received: string[] = [];
    let rest = Buffer.alloc(0);
    const trailers = once(call, 'trailers');
    call.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const length = rest.readUInt32BE(1);
        received.push(rest.toString('utf8', 5, 5 + length));
        rest = rest.subarray(5 + length);
        // The next message is sent only once the one before has come back: nothing is held.
        if (received.length < 3) call.write(message(`m${received.length}`));
        else call.end();
      }
    });
    call.write(message('m0'));
    expect((await trailers)[0]).toMatchObject({ 'grpc-status': '0', 'grpc-message': 'fine' });
    expect(received).toEqual(['m0', 'm1', 'm2']);
    session.close();
    await own.stop();
    server.close();
  });
});

import { connect, constants, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FaultWorld } from '../testing/fault-gateway.ts';
import { type Misbehaviour, repeat, reset } from '../testing/fault-upstream.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
import { ownPort } from '../testing/own-port.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';

let pair: CertificatePair;
let world = new FaultWorld();
const servers: Http2Server[] = [];

beforeAll(async () => {
  pair = await makeCertificate('up.test');
});

afterEach(async () => {
  await world.stop();
  world = new FaultWorld();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** One unary call over TLS and HTTP/2, as gRPC clients make it; the HTTP status and the end. */
function call(port: number, body = 'message'): Promise<{ status: number; code: number }> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/bad',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status = 0;
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.on('error', () => undefined);
    stream.resume();
    stream.on('close', () => {
      session.close();
      resolve({ status, code: stream.rstCode ?? 0 });
    });
    stream.end(body);
  });
}

const grpc = (port: number, protocol: string, more = {}) => ({
  name: 'bad',
  port,
  protocol,
  route: { protocols: ['grpcs', 'grpc'] },
  more,
});

async function http2Upstream(serve: (server: Http2Server) => void): Promise<number> {
  const server = createServer();
  servers.push(server);
  server.on('sessionError', () => undefined);
  server.on('session', (session) => session.on('error', () => undefined));
  serve(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const preface = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

const faults: readonly (readonly [string, Misbehaviour, number])[] = [
  ['resets at once', (socket) => reset(socket), 502],
  ['ends without a word', (socket) => socket.end(), 502],
  ['accepts and is silent', () => undefined, 504],
  ['speaks HTTP/1', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 502],
  ['speaks garbage without an end', (socket) => repeat(socket, 'garbage'), 502],
  ['sends settings and resets', (socket) => socket.write(preface, () => reset(socket)), 502],
  ['sends settings and is silent', (socket) => void socket.write(preface), 504],
  ['floods settings', (socket) => repeat(socket, preface.toString('latin1')), 502],
  [
    'says goodbye before it answers',
    (socket) => socket.end(Buffer.concat([preface, goaway(constants.NGHTTP2_NO_ERROR)])),
    502,
  ],
  [
    'says goodbye with an error',
    (socket) => void socket.write(Buffer.concat([preface, goaway(2)])),
    502,
  ],
];

function goaway(code: number): Buffer {
  return Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, code]);
}

describe.each(['grpc', 'grpcs'])('a %s upstream', (protocol) => {
  const options = () => (protocol === 'grpcs' ? { tls: pair } : {});

  test('that refuses connections is tried as often as the service says, and no more', async () => {
    await world.start([grpc(await ownPort(), protocol)]);
    expect((await call(world.tlsPort)).status).toBe(502);
    await world.expectNeighbour();
  });

  test.each(faults)('that %s', async (_name, misbehave, status) => {
    const upstream = await world.upstream(misbehave, options());
    await world.start([grpc(upstream.port, protocol)]);
    const pending = call(world.tlsPort);
    await world.expectNeighbour();
    expect((await pending).status).toBe(status);
    // A call that may have been acted on is not made again.
    expect(upstream.accepted()).toBeLessThanOrEqual(3);
    await world.expectNeighbour();
  });
});

describe('a gRPC upstream', () => {
  test('is called again when it refuses a stream unseen, and only as often as allowed', async () => {
    let seen = 0;
    const port = await http2Upstream((server) =>
      server.on('stream', (stream) => {
        seen += 1;
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      }),
    );
    await world.start([grpc(port, 'grpc')]);
    expect((await call(world.tlsPort, '')).status).toBe(502);
    expect(seen).toBeLessThanOrEqual(3);
  });

  test('that breaks off after its head breaks the client’s stream off', async () => {
    const port = await http2Upstream((server) =>
      server.on('stream', (stream) => {
        stream.on('error', () => undefined);
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
        stream.write('part', () => stream.session?.destroy());
      }),
    );
    await world.start([grpc(port, 'grpc')]);
    const { code } = await call(world.tlsPort);
    expect(code).not.toBe(0);
    await world.expectNeighbour();
  });

  test('is not blamed for a client that stalls, or that does not read', async () => {
    const port = await http2Upstream((server) =>
      server.on('stream', (stream) => {
        stream.on('error', () => undefined);
        stream.resume();
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
        stream.on('end', () => stream.end('done'));
      }),
    );
    const passive = { unhealthy: { timeouts: 1, tcp_failures: 1, http_failures: 1 } };
    await world.start([{ ...grpc(port, 'grpc'), upstream: { healthchecks: { passive } } }]);
    const session = connect(`https://127.0.0.1:${world.tlsPort}`, { rejectUnauthorized: false });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/bad',
      'content-type': 'application/grpc',
    });
    stream.on('error', () => undefined);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.write('only a part');
    stream.resume();
    await closed;
    session.destroy();
    expect((await call(world.tlsPort)).status).toBe(200);
    const answer = await fetch(`http://127.0.0.1:${world.adminPort}/upstreams/bad.up/health`);
    expect(((await answer.json()) as { data: { health: string }[] }).data[0]?.health).toBe(
      'HEALTHY',
    );
  });

  test('hears no more of calls than there are, however many go over one connection', async () => {
    const port = await http2Upstream((server) =>
      server.on('stream', (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
        stream.resume();
        stream.end('x');
      }),
    );
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    await world.start([grpc(port, 'grpc')]);
    for (let index = 0; index < 30; index += 1) {
      expect((await call(world.tlsPort)).status).toBe(200);
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([]);
  });
});

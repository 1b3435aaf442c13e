import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { FastCgiAnswer } from '../../fastcgi/fastcgi-answer.ts';
import { fastCgiHead } from '../../fastcgi/fastcgi-request.ts';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  await world.stop();
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

interface Asked {
  readonly params: Record<string, string>;
  readonly body: string;
}

type Respond = (asked: Asked, socket: Socket) => readonly Buffer[] | undefined;

const record = (type: number, content: Buffer | string, padding = 0) => {
  const bytes = Buffer.from(content);
  const head = [1, type, 0, 1, bytes.length >> 8, bytes.length & 255, padding, 0];
  return Buffer.concat([Buffer.from(head), bytes, Buffer.alloc(padding)]);
};
const out = (text: string, padding = 0) => record(6, text, padding);
const complaint = (text: string) => record(7, text);
const done = record(3, Buffer.alloc(8));
const page = 'Content-Type: text/html\r\n\r\nhello';

/** A responder after the specification: it reads records, and answers when the body has ended. */
async function responder(respond: Respond): Promise<{ port: number; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let bytes = Buffer.alloc(0);
    let params = Buffer.alloc(0);
    let body = '';
    socket.on('data', (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      while (bytes.length >= 8) {
        const end = 8 + bytes.readUInt16BE(4) + (bytes[6] ?? 0);
        if (bytes.length < end) return;
        const content = bytes.subarray(8, 8 + bytes.readUInt16BE(4));
        const type = bytes[1];
        bytes = bytes.subarray(end);
        if (type === 4) params = Buffer.concat([params, content]);
        if (type !== 5) continue;
        body += content.toString('latin1');
        if (content.length > 0) continue;
        const one = { params: readParams(params), body };
        asked.push(one);
        const answer = respond(one, socket);
        if (answer !== undefined) socket.end(Buffer.concat(answer));
      }
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, asked };
}

function readParams(bytes: Buffer): Record<string, string> {
  const params: Record<string, string> = {};
  let at = 0;
  const size = () => {
    const first = bytes[at] ?? 0;
    at += first < 0x80 ? 1 : 4;
    return first < 0x80 ? first : bytes.readUInt32BE(at - 4) & 0x7fffffff;
  };
  while (at < bytes.length) {
    const [name, value] = [size(), size()];
    const key = bytes.subarray(at, at + name).toString();
    params[key] = bytes.subarray(at + name, at + name + value).toString();
    at += name + value;
  }
  return params;
}

async function start(respond: Respond, config: object = {}, proxy: object = {}) {
  const backend = await responder(respond);
  await world.start(backend.port, [
    { name: 'nginx-proxy', config: proxy },
    { name: 'fastcgi', config },
  ]);
  return backend;
}

describe('what an application is told', () => {
  test('nginx’ params, those given, and the client’s headers', async () => {
    const { asked } = await start(() => [out(page), done], {
      index: 'index.php',
      params: [
        { name: 'SCRIPT_FILENAME', value: '$document_root$fastcgi_script_name' },
        { name: 'MIXED', value: `/app\${fastcgi_script_name}-$request_method-ü` },
        { name: 'HTTP_X_SET', value: 'ours' },
      ],
    });
    const headers = { 'x-set': 'theirs', proxy: 'http://evil', 'x-one': ['1', '2'], cookie: 'a=b' };
    const answer = await world.ask({ path: '/dir/?y=1', headers });
    expect(answer).toMatchObject({ status: 200, body: 'hello' });
    expect(answer.headers['content-type']).toBe('text/html');
    const { params, body } = asked[0] ?? { params: {}, body: '' };
    expect(body).toBe('');
    expect(params).toMatchObject({
      QUERY_STRING: 'y=1',
      REQUEST_METHOD: 'GET',
      CONTENT_TYPE: '',
      CONTENT_LENGTH: '',
      SCRIPT_NAME: '/dir/index.php',
      REQUEST_URI: '/dir/?y=1',
      DOCUMENT_URI: '/dir/',
      SERVER_PROTOCOL: 'HTTP/1.1',
      REQUEST_SCHEME: 'http',
      REMOTE_ADDR: '127.0.0.1',
      SERVER_PORT: '80',
      SERVER_NAME: 'shop.test',
      REDIRECT_STATUS: '200',
      SCRIPT_FILENAME: '/usr/local/nginx/html/dir/index.php',
      MIXED: '/app/dir/index.php-GET-ü',
      HTTP_HOST: 'shop.test',
      HTTP_X_SET: 'ours',
      HTTP_X_ONE: '1, 2',
      HTTP_COOKIE: 'a=b',
    });
    expect(params).not.toHaveProperty('HTTP_PROXY');
    expect(params).not.toHaveProperty('HTTPS');
  });

  test('long values, a rewritten path and TLS', async () => {
    const rewrite = { pattern: '/app(.*)', target: '/inner$1' };
    const { asked } = await start(() => [out(page), done], {}, { rewrite });
    const long = 'v'.repeat(7_000);
    await world.ask({ path: '/app/x.php?q', headers: { 'x-long': long }, isSecure: true });
    expect(asked[0]?.params).toMatchObject({
      ...{ SCRIPT_NAME: '/inner/x.php', REQUEST_URI: '/app/x.php?q', HTTPS: 'on' },
      HTTP_X_LONG: long,
    });
  });

  test.each([
    ['short', 'a=1', false],
    ['in chunks', 'x'.repeat(300_000), true],
    ['one that streams', 'y'.repeat(900_000), false],
  ])('a body: %s', async (_name, body, isChunked) => {
    const { asked } = await start(() => [out(page), done]);
    const headers = isChunked ? { 'transfer-encoding': 'chunked' } : {};
    const answer = await world.ask({ method: 'POST', body, isChunked, headers });
    expect(answer.status).toBe(200);
    expect(asked[0]?.body === body).toBe(true);
    expect(asked[0]?.params.CONTENT_LENGTH).toBe(String(body.length));
  });

  test('a body in chunks that is too long to be told its length is refused', async () => {
    const { asked } = await start(() => [out(page), done], {}, { body_size: 0 });
    const body = Buffer.alloc(4 * 1_024 * 1_024 + 1);
    const headers = { 'transfer-encoding': 'chunked' };
    const answer = await world.ask({ method: 'POST', body, isChunked: true, headers });
    expect(answer.status).toBe(413);
    expect(asked).toHaveLength(0);
  });

  test('params have any length', () => {
    const word = fc.string({ unit: 'binary-ascii', maxLength: 300 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(word, word), { selector: ([name]) => name }), (pairs) => {
        const bytes = fastCgiHead(pairs);
        let content = Buffer.alloc(0);
        for (let at = 0; at < bytes.length; at += 8 + bytes.readUInt16BE(at + 4)) {
          const end = at + 8 + bytes.readUInt16BE(at + 4);
          if (bytes[at + 1] === 4) content = Buffer.concat([content, bytes.subarray(at + 8, end)]);
        }
        expect(readParams(content)).toEqual(Object.fromEntries(pairs));
      }),
    );
  });
});

describe('what an application answers', () => {
  test.each([
    ['a status', 'Status: 404 Not Found\r\nX-A: 1\r\n\r\nno', 404, 'no'],
    ['a place elsewhere', 'Location: /login\r\n\r\n', 302, ''],
    ['lines of another system', 'Content-Type: text/plain\nX-A: 1\n\nplain', 200, 'plain'],
    ['a length', 'Content-Length: 2\r\n\r\nokmore', 200, 'ok'],
    ['what speaks of a connection', 'Transfer-Encoding: gzip\r\nX-A: 1\r\n\r\nx', 200, 'x'],
    ['no header', 'X-A: 1\r\n\r\n', 200, ''],
  ])('%s', async (_name, text, status, body) => {
    await start(() => [complaint('PHP message: notice'), out(text, 3), out(''), done]);
    const answer = await world.ask();
    expect(answer).toMatchObject({ status, body });
    expect((await world.ask({ method: 'HEAD' })).status).toBe(status);
  });

  test.each([
    ['nothing', [done]],
    ['an end in the middle', [out('Content-Length: 9\r\n\r\nshort'), done]],
    ['a head without end', [out('X: y\r\n'.repeat(10_000)), out('X: y\r\n'.repeat(2_000)), done]],
    ['two lengths', [out('Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'), done]],
    ['a name that is none', [out('X Y: 1\r\n\r\n'), done]],
    ['a change of protocol', [out('Status: 101\r\n\r\n'), done]],
    ['a refusal', [record(3, Buffer.from([0, 0, 0, 0, 2, 0, 0, 0]))]],
    ['another protocol', [Buffer.from('HTTP/1.1 200 OK\r\n\r\n')]],
    ['a line that is cut', [out('X-A: 1\rX-B: 2\r\n\r\n'), done]],
  ])('what is no answer: %s', async (_name, answer) => {
    await start(() => answer);
    const got = await world.ask().catch((error: Error) => error);
    // Once the head is out, a broken connection tells that something is missing.
    if (!(got instanceof Error)) expect(got.status).toBe(502);
  });

  test('a connection that breaks is tried again, and then 502', async () => {
    const backend = await start((_asked, socket) => {
      socket.destroy();
      return undefined;
    });
    expect((await world.ask()).status).toBe(502);
    expect(backend.asked).toHaveLength(3);
  });

  test('nobody listens', async () => {
    await world.start(1, [
      { name: 'nginx-proxy', config: {} },
      { name: 'fastcgi', config: {} },
    ]);
    expect((await world.ask()).status).toBe(502);
  });

  test('X-Accel-Redirect counts here, too', async () => {
    const { asked } = await start(({ params }) =>
      params.DOCUMENT_URI === '/'
        ? [out('X-Accel-Redirect: /other\r\n\r\n'), done]
        : [out(page), done],
    );
    expect((await world.ask()).body).toBe('hello');
    expect(asked.map(({ params }) => params.DOCUMENT_URI)).toEqual(['/', '/other']);
  });

  test('it reads the same however the bytes are cut', () => {
    const bytes = Buffer.concat([
      out('Status: 201 Created\r\nX-A: 1\r\n\r', 5),
      complaint('oh'),
      out('\nbody of', 1),
      out(' an answer'),
      done,
    ]);
    const read = (cuts: readonly number[]) => {
      let text = '';
      let complaints = '';
      const answer = new FastCgiAnswer({
        onBytes: (piece) => {
          text += piece.toString('latin1');
          return true;
        },
        onComplaint: (one) => {
          complaints += one;
        },
      });
      let from = 0;
      for (const cut of [...cuts].sort((a, b) => a - b)) {
        answer.feed(bytes.subarray(from, Math.max(from, cut)));
        from = Math.max(from, cut);
      }
      answer.feed(bytes.subarray(from));
      // Chunks may be cut anywhere: what counts is what they carry.
      const [head = '', ...rest] = text.split('\r\n\r\n');
      const chunks = rest.join('\r\n\r\n').split('\r\n');
      return { head, body: chunks.filter((_one, index) => index % 2 === 1).join(''), complaints };
    };
    const whole = read([]);
    expect(whole).toMatchObject({ body: 'body of an answer', complaints: 'oh' });
    expect(whole.head).toContain('HTTP/1.1 201');
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        expect(read(cuts)).toEqual(whole);
      }),
    );
  });
});

test.each([
  { index: '../x' },
  { params: [{ name: 'A B', value: '' }] },
  { params: [{ name: 'A', value: '$nobody_knows' }] },
])('%j is refused', async (config) => {
  await expect(start(() => [out(page), done], config)).rejects.toThrow();
});

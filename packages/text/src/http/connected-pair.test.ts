import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { HttpClient } from './client.ts';
import { connectedPair } from './connected-pair.ts';

// HTTP inside one process: what sockets give to Node's client and server, a pair must give, too.

function inside(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  let opened = 0;
  const client = new HttpClient({
    connect: () => {
      opened += 1;
      const [near, far] = connectedPair();
      server.emit('connection', far);
      return near;
    },
  });
  return { client, opened: () => opened };
}

const origin = 'http://inside';

test('requests with bodies are answered, and connections used again', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on('warning', onWarning);
  const { client, opened } = inside(async (request, response) => {
    response.end(`${request.url} ${await text(request)}`);
  });
  const large = 'x'.repeat(300_000);
  for (const body of ['a', large, ...'bcdefghijklmnop']) {
    const answer = await client.send({ origin, path: '/p', method: 'POST', body });
    expect(await text(answer.body)).toBe(`/p ${body}`);
  }
  expect(opened()).toBe(1);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  client.close();
});

test('a reader that is slow holds the writer', async () => {
  let written = 0;
  const { client } = inside((_, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const more = (): void => {
      while (written < 200) {
        written += 1;
        if (!response.write(chunk)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  const { body } = await client.send({ origin, path: '/', isStream: true });
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBeLessThan(20);
  expect((await text(body)).length).toBe(200 * 64 * 1024);
  client.close();
});

test('a stream that its reader gives up is closed for the server, too', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  const { client } = inside((_, response) => {
    closed = once(response, 'close');
    response.write('first');
  });
  const given = new AbortController();
  const { body } = await client.send({ origin, path: '/', isStream: true, signal: given.signal });
  expect(String((await once(body, 'data'))[0])).toBe('first');
  const ended = once(body, 'error');
  given.abort(new Error('enough'));
  expect((await ended)[0]).toMatchObject({ message: 'enough' });
  await closed;
  client.close();
});

test('a server that leaves is noticed, after what it said', async () => {
  const { client } = inside((_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  });
  const { body } = await client.send({ origin, path: '/' });
  let said = '';
  body.on('data', (chunk) => {
    said += chunk;
  });
  await expect(once(body, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(said).toBe('half');
  client.close();
});

test('a server that answers and closes has been heard', async () => {
  const { client, opened } = inside((_, response) => {
    response.writeHead(200, { connection: 'close' });
    response.end('y'.repeat(200_000));
  });
  for (let index = 0; index < 3; index += 1) {
    const { body } = await client.send({ origin, path: '/' });
    expect((await text(body)).length).toBe(200_000);
  }
  expect(opened()).toBe(3);
  client.close();
});

test('a server that is silent is given up', async () => {
  const { client } = inside((_, response) => {
    response.writeHead(200);
    response.write('then nothing');
  });
  const { body } = await client.send({ origin, path: '/', idleTimeoutMs: 20 });
  await expect(text(body)).rejects.toMatchObject({ name: 'TimeoutError' });
  client.close();
});

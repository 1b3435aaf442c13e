import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { HttpClient, type HttpRequest, type HttpResponse, type Send } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer, type RunningApiServer } from './api-server.ts';
import type { RequestListener } from './http2-door.ts';
import { InsideDoor } from './inside-door.ts';

const origin = 'http://inside';

function inside(handle: RequestListener): { client: HttpClient; door: InsideDoor } {
  const door = new InsideDoor(handle);
  return { client: new HttpClient({ answer: door.answer }), door };
}

describe('both doors of a server answer alike', () => {
  let server: RunningApiServer;
  let network: HttpClient;
  let near: HttpClient;

  beforeAll(async () => {
    server = await new ApiServer({ log: () => undefined, insecure: true }).start();
    network = new HttpClient();
    near = new HttpClient({ answer: server.answer });
  });

  afterAll(async () => {
    network.close();
    near.close();
    await server.stop();
  });

  const maps = '/api/v1/namespaces/default/configmaps';
  const json = { 'content-type': 'application/json' };
  const configMap = (name: string, text: string): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } });
  const asked: Record<string, Omit<HttpRequest, 'origin'>> = {
    'a list': { path: '/api/v1/namespaces' },
    'a list as YAML': { path: '/api/v1/namespaces', headers: { accept: 'application/yaml' } },
    'a list in protobuf': {
      path: '/api/v1/namespaces',
      headers: { accept: 'application/vnd.kubernetes.protobuf' },
    },
    'an object that is not there': { path: `${maps}/none` },
    'a path that is not there': { path: '/nowhere' },
    'health without a body': { method: 'HEAD', path: '/readyz' },
    'a wrong token': { path: maps, headers: { authorization: 'Bearer wrong' } },
    'somebody who may not': { path: maps, headers: { 'impersonate-user': 'jane' } },
    'somebody in two groups': {
      path: maps,
      headers: { 'impersonate-user': 'jane', 'impersonate-group': ['system:masters', 'others'] },
    },
    'a page of another site': { path: maps, headers: { origin: 'https://evil.example' } },
    'no JSON': { method: 'POST', path: maps, headers: json, body: '{' },
    'a body that is too large': {
      method: 'POST',
      path: maps,
      headers: json,
      body: configMap('large', 'x'.repeat(4_000_000)),
    },
    'a trial with a warning': {
      method: 'POST',
      path: `${maps}?dryRun=All&fieldValidation=Warn`,
      headers: json,
      body: configMap('tried', 'é').replace('"data"', '"unknown": 1, "data"'),
    },
    discovery: { path: '/apis' },
    'what has not changed': { path: '/openapi/v3', headers: { 'if-none-match': '"x"' } },
  };

  /** What differs by the connection, and by the moment. */
  const ofTheWire = ['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'];
  async function told(send: Send, request: Omit<HttpRequest, 'origin'>): Promise<unknown> {
    const headers = { authorization: `Bearer ${server.adminToken}`, ...request.headers };
    const response: HttpResponse = await send({ ...request, origin: server.url, headers });
    const kept = Object.entries(response.headers).filter(([name]) => !ofTheWire.includes(name));
    const body = (await text(response.body)).replaceAll(/"(uid|creationTimestamp)":"[^"]*"/g, '');
    const time = /"time":"[^"]*"/g;
    const { statusCode, statusMessage } = response;
    return { statusCode, statusMessage, headers: kept.sort(), body: body.replaceAll(time, '') };
  }

  test.each(Object.entries(asked))('%s', async (_what, request) => {
    expect(await told(near.send, request)).toEqual(await told(network.send, request));
  });

  test('a watch tells what changes, and leaves nothing behind when it is given up', async () => {
    const headers = { authorization: `Bearer ${server.adminToken}` };
    const origin = server.url;
    const watches = async (): Promise<string | undefined> => {
      const { body } = await near.send({ origin, path: '/metrics', headers });
      return /^apiserver_longrunning_requests.* (\d+)$/m.exec(await text(body))?.[1];
    };
    const given = new AbortController();
    const path = `${maps}?watch=true&fieldSelector=metadata.name%3Dwatched`;
    const { body } = await near.send({
      origin,
      path,
      headers,
      isStream: true,
      signal: given.signal,
    });
    expect(await watches()).toBe('1');
    const event = once(body, 'data');
    const made = { method: 'POST', path: maps, body: configMap('watched', 'x') } as const;
    await near.send({ ...made, origin, headers: { ...headers, ...json } });
    expect(JSON.parse(String((await event)[0]))).toMatchObject({ type: 'ADDED' });
    const ended = once(body, 'error');
    given.abort(new Error('enough'));
    expect((await ended)[0]).toMatchObject({ message: 'enough' });
    expect(await watches()).toBe('0');
  });
});

test('a reader that is slow holds the writer', async () => {
  let written = 0;
  const { client } = inside((_, response) => {
    response.writeHead(200);
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
});

test('an answer that is cut off is an error, before its head and after', async () => {
  const { client } = inside((request, response) => {
    if (request.url === '/half') response.writeHead(200).write('half');
    setImmediate(() => response.destroy());
  });
  await expect(client.send({ origin, path: '/' })).rejects.toMatchObject({ code: 'ECONNRESET' });
  const { body } = await client.send({ origin, path: '/half' });
  await expect(text(body)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('who gives up before the head has the reason, and the handler is told', async () => {
  let gone: Promise<unknown> = Promise.resolve();
  const given = new AbortController();
  const { client } = inside((_, response) => {
    gone = once(response, 'close');
    given.abort(new Error('enough'));
  });
  const answer = client.send({ origin, path: '/', signal: given.signal });
  await expect(answer).rejects.toThrow('enough');
  await gone;
});

test('a server that stops ends what is open and takes nothing new; so does a client', async () => {
  const { client, door } = inside((_, response) => void response.writeHead(200).write('first'));
  const open = await client.send({ origin, path: '/', isStream: true });
  const cut = once(open.body.resume(), 'error');
  door.close();
  expect((await cut)[0]).toMatchObject({ code: 'ECONNRESET' });
  await expect(client.send({ origin, path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  const other = inside((_, response) => void response.writeHead(200).write('first'));
  const { body } = await other.client.send({ origin, path: '/', isStream: true });
  const ended = once(body.resume(), 'error');
  other.client.close();
  expect((await ended)[0]).toMatchObject({ code: 'WG_TEXT_CLOSED' });
  expect(other.client.isIdle).toBe(true);
});

test('requests one after the other leave timers their turn', async () => {
  const { client } = inside((_, response) => void response.writeHead(200).end('done'));
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 1);
  while (!isOver) await text((await client.send({ origin, path: '/' })).body);
  expect(isOver).toBe(true);
});

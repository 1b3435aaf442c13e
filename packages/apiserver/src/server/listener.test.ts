import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { Listener } from './listener.ts';
import { type ServingIdentity, servingIdentity } from './serving-identity.ts';

const identity = () =>
  servingIdentity({}, { dataDir: undefined, host: '127.0.0.1', now: Date.now });
const timeouts = { headersMs: 100, requestMs: 100, checkMs: 20 };

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

async function start(tls: ServingIdentity): Promise<number> {
  listener = new Listener({ host: '127.0.0.1', port: 0, timeouts, tls }, (asked, response) =>
    response.end(`you asked for ${asked.url}`),
  );
  return listener.listen();
}

async function get(port: number, path: string): Promise<string> {
  const asked = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

test('an identity that was just made is served to the first clients, however many come at once, and to later ones', async () => {
  const tls = await identity();
  expect(tls.isFresh).toBe(true);
  const port = await start(tls);
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const answers = await Promise.all(paths.map((path) => get(port, path)));
  expect(answers).toEqual(paths.map((path) => `you asked for ${path}`));
  expect(await get(port, '/later')).toBe('you asked for /later');
});

test('the very first client may not take longer than others for its request', async () => {
  const port = await start(await identity());
  const slow = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  slow.on('error', () => undefined);
  await once(slow, 'secureConnect');
  slow.write('GET / HTTP/1.1\r\nHost:');
  slow.resume();
  await once(slow, 'close');
  expect(await get(port, '/')).toBe('you asked for /');
});

test('closing ends a first client in the middle of its handshake, and a server that nobody came to', async () => {
  await start(await identity());
  await listener?.close();
  const port = await start(await identity());
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  await once(client, 'connect');
  const closed = once(client, 'close');
  await listener?.close();
  await closed;
});

test('what is wrong with a given identity is said at the start', async () => {
  const mine = await identity();
  const { privateKey } = await identity();
  const place = { dataDir: undefined, host: '127.0.0.1', now: Date.now };
  for (const serving of [
    { certificate: 'no certificate', privateKey: mine.privateKey },
    { certificate: mine.certificate, privateKey },
  ]) {
    const tls = await servingIdentity({ serving }, place);
    const make = () => new Listener({ host: '127.0.0.1', port: 0, tls }, () => undefined);
    expect(make).toThrow(/PEM|key values mismatch/i);
  }
});

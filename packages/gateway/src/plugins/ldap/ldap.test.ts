import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { berInteger, berValue, readBer } from './ber.ts';
import { escapedName } from './ldap-bind.ts';

const gateway = new PluginGateway();
const servers: Server[] = [];

afterEach(async () => {
  await gateway.stop();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A directory that knows one name. */
async function directory(known: Readonly<Record<string, string>>, code = 49) {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const message = readBer(chunk, 0)!;
      const id = readBer(message.content, 0)!;
      const operation = readBer(message.content, id.end)!;
      const version = readBer(operation.content, 0)!;
      const name = readBer(operation.content, version.end)!;
      const password = readBer(operation.content, name.end)!;
      asked.push(name.content.toString());
      const isRight = known[name.content.toString()] === password.content.toString();
      const result = [berInteger(isRight ? 0 : code, 0x0a), berValue(4), berValue(4)];
      socket.write(berValue(0x30, berInteger(id.content[0] ?? 0), berValue(0x61, ...result)));
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, asked };
}

async function start(port: number, config: object = {}, more: object = {}) {
  const backend = await gateway.backend('b');
  const whole = {
    ldap_host: '127.0.0.1',
    ldap_port: port,
    base_dn: 'dc=shop',
    attribute: 'uid',
    ...config,
  };
  await gateway.start(backend, [{ name: 'ldap-auth', config: whole }], more);
}

function header(name: string, password: string, scheme = 'ldap') {
  return { authorization: `${scheme} ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

describe('ldap-auth', () => {
  test('lets in who the directory knows, and remembers', async () => {
    const { port, asked } = await directory({ 'uid=ann,dc=shop': 'secret' });
    await start(port, { hide_credentials: true });
    expect((await gateway.ask({ headers: header('ann', 'secret') })).status).toBe(200);
    expect((await gateway.ask({ headers: header('ann', 'secret', 'LDAP') })).status).toBe(200);
    expect(asked).toEqual(['uid=ann,dc=shop']);
    expect(gateway.received[0]?.headers).toMatchObject({ 'x-credential-identifier': 'ann' });
    expect(gateway.received[0]?.headers.authorization).toBeUndefined();
    const wrong = await gateway.ask({ headers: header('ann', 'wrong') });
    expect(wrong).toMatchObject({ status: 401, headers: { 'www-authenticate': 'LDAP' } });
    expect((await gateway.ask()).status).toBe(401);
    expect((await gateway.ask({ headers: header('ann', 'secret', 'basic') })).status).toBe(401);
  });

  test('nobody gets in without a password, or by adding to a name', async () => {
    const { port, asked } = await directory({
      'uid=ann,dc=shop': '',
      'uid=x,ou=admins,dc=shop': 'p',
    });
    await start(port);
    expect((await gateway.ask({ headers: header('ann', '') })).status).toBe(401);
    expect((await gateway.ask({ headers: header('x,ou=admins', 'p') })).status).toBe(401);
    expect(asked).toEqual(['uid=x\\,ou\\=admins,dc=shop']);
  });

  test('without the directory it is a 500, and with an anonymous consumer others pass', async () => {
    const broken = await directory({}, 52);
    await start(broken.port);
    expect((await gateway.ask({ headers: header('ann', 'x') })).status).toBe(500);
    await gateway.stop();
    const { port } = await directory({});
    await start(port, { anonymous: 'guest' }, { consumers: [{ username: 'guest' }] });
    expect((await gateway.ask({ headers: header('ann', 'x') })).status).toBe(200);
    expect(gateway.received[0]?.headers).toMatchObject({ 'x-anonymous-consumer': 'true' });
  });
});

describe('BER', () => {
  test('what is written is read', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 70_000 }),
        fc.integer({ min: 0, max: 2 ** 31 }),
        (bytes, number) => {
          const written = Buffer.concat([berInteger(number), berValue(4, Buffer.from(bytes))]);
          const first = readBer(written, 0);
          expect(first?.content.readUIntBE(0, first.content.length)).toBe(number);
          expect(readBer(written, first?.end ?? 0)?.content.equals(Buffer.from(bytes))).toBe(true);
          expect(readBer(written.subarray(0, written.length - 1), first?.end ?? 0)).toBeUndefined();
        },
      ),
      { numRuns: 30 },
    );
  });

  test('nothing in a name has a meaning', () => {
    expect(escapedName('a,b=c+"d"<e>;\\')).toBe('a\\,b\\=c\\+\\"d\\"\\<e\\>\\;\\\\');
    expect(escapedName(' #a ')).toBe('\\ #a\\ ');
  });
});

describe('standard-webhooks', () => {
  const secret = 'c2VjcmV0';
  const sign = (id: string, time: number, body: string) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64')}`;

  test('lets in what is signed and fresh, and nothing else', async () => {
    const backend = await gateway.backend('b');
    await gateway.start(backend, [{ name: 'standard-webhooks', config: { secret_v1: secret } }]);
    const now = Math.floor(Date.now() / 1_000);
    const send = (time: number, body: string, signature = sign('m1', time, body)) =>
      gateway.ask({
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'm1',
          'webhook-timestamp': String(time),
          'webhook-signature': signature,
        },
      });
    expect((await send(now, '{"a":1}')).status).toBe(200);
    expect(gateway.received[0]?.body).toBe('{"a":1}');
    expect((await send(now, '{"a":2}', sign('m1', now, '{"a":1}'))).status).toBe(400);
    expect((await send(now - 400, '{"a":1}')).status).toBe(400);
    expect((await send(now, '')).status).toBe(400);
    const bare = await gateway.ask({ method: 'POST', body: 'x' });
    expect(bare.status).toBe(400);
    expect(JSON.parse(bare.body)).toMatchObject({ message: 'Bad request' });
  });
});

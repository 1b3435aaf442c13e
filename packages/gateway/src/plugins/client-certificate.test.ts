import { connect } from 'node:http2';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../testing/make-certificate.ts';
import { type Ask, PluginGateway } from '../testing/plugin-gateway.ts';
import type { CertificatePair } from '../tls/default-certificate.ts';

const world = new PluginGateway();
let alice: CertificatePair;
let mallory: CertificatePair;

beforeAll(async () => {
  alice = await makeCertificate('alice');
  mallory = await makeCertificate('mallory');
});
afterEach(() => world.stop());

/** A host whose clients are asked, and a neighbour whose are not. */
async function start(config: object = {}) {
  const port = await world.backend('a');
  const route = (host: string, plugins: readonly object[]) => ({
    name: host,
    hosts: [host, `*.${host}`],
    preserve_host: true,
    plugins: [{ name: 'nginx-proxy', config: { hsts: {} } }, ...plugins],
  });
  const asked = { ca: alice.cert, server_names: ['shop.test', '*.shop.test'], ...config };
  await world.start(0, [], {
    services: [
      {
        name: 's',
        host: '127.0.0.1',
        port,
        routes: [
          route('shop.test', [{ name: 'client-certificate', config: asked }]),
          route('open.test', []),
        ],
      },
    ],
  });
}

const secure = (certificate?: CertificatePair, more: Ask = {}): Ask => ({
  isSecure: true,
  serverName: 'shop.test',
  ...(certificate === undefined ? {} : { certificate }),
  ...more,
});

describe('client-certificate', () => {
  test.each([
    ['on', undefined, 400, undefined],
    ['on', 'alice', 200, 'SUCCESS'],
    ['on', 'mallory', 400, undefined],
    ['optional', undefined, 200, 'NONE'],
    ['optional', 'alice', 200, 'SUCCESS'],
    ['optional', 'mallory', 400, undefined],
    ['optional_no_ca', undefined, 200, 'NONE'],
    ['optional_no_ca', 'mallory', 200, 'FAILED:self-signed certificate'],
    ['off', 'alice', 200, 'NONE'],
  ])('%s with the certificate of %s: %i %s', async (verify, who, status, verification) => {
    await start({ verify });
    const certificate = who === 'alice' ? alice : who === 'mallory' ? mallory : undefined;
    const forged = { 'ssl-client-subject-dn': 'CN=root', 'ssl-client-verify': 'SUCCESS' };
    const answer = await world.ask(secure(certificate, { headers: forged }));
    expect(answer.status).toBe(status);
    expect(answer.headers['strict-transport-security'] !== undefined).toBe(status === 200);
    const headers = world.received[0]?.headers;
    expect(headers?.['ssl-client-verify']).toBe(verification);
    const isShown = who !== undefined && verify !== 'off' && status === 200;
    expect(headers?.['ssl-client-subject-dn']).toBe(isShown ? `CN=${who}` : undefined);
    expect(headers?.['ssl-client-issuer-dn']).toBe(isShown ? `CN=${who}` : undefined);
  });

  test('passes the certificate on, judges by its name, and sends elsewhere who has none', async () => {
    await start({
      pass_certificate: true,
      match_cn: 'CN=(alice|bob)$',
      error_page: 'https://help.test/',
    });
    expect((await world.ask(secure(alice))).status).toBe(200);
    expect(decodeURIComponent(String(world.received[0]?.headers['ssl-client-cert']))).toContain(
      'BEGIN CERTIFICATE',
    );
    expect(await world.ask(secure())).toMatchObject({
      status: 302,
      headers: { location: 'https://help.test/' },
    });
    await world.stop();
    await start({ match_cn: 'CN=bob' });
    expect((await world.ask(secure(alice))).status).toBe(403);
    expect(world.received).toEqual([]);
  });

  test('a handshake for another name does not count', async () => {
    await start({ verify: 'optional' });
    const elsewhere = { serverName: 'open.test', headers: { host: 'shop.test' } };
    expect((await world.ask(secure(alice, elsewhere))).status).toBe(421);
    const below = { serverName: 'x.shop.test', headers: { host: 'x.shop.test' } };
    expect((await world.ask(secure(alice, below))).status).toBe(200);
    expect(world.received[0]?.headers['ssl-client-verify']).toBe('SUCCESS');
  });

  test('the neighbour is not asked, and plain HTTP tells nothing', async () => {
    await start();
    const open = { serverName: 'open.test', headers: { host: 'open.test' } };
    expect((await world.ask(secure(undefined, open))).status).toBe(200);
    const forged = { 'ssl-client-verify': 'SUCCESS' };
    expect((await world.ask({ headers: forged })).status).toBe(200);
    expect(world.received[1]?.headers['ssl-client-verify']).toBeUndefined();
  });

  test('HTTP/2 clients are asked as well', async () => {
    await start();
    const statusOf = (certificate: Partial<CertificatePair>) =>
      new Promise<number>((resolve, reject) => {
        const session = connect(`https://127.0.0.1:${world.securePort}`, {
          servername: 'shop.test',
          rejectUnauthorized: false,
          ...certificate,
        });
        session.on('error', reject);
        const stream = session.request({ ':authority': 'shop.test', ':path': '/' });
        stream.on('response', (headers) => {
          resolve(Number(headers[':status']));
          session.destroy();
        });
        stream.on('error', reject);
      });
    expect(await statusOf(alice)).toBe(200);
    expect(await statusOf({})).toBe(400);
    expect(await statusOf(mallory)).toBe(400);
  });

  test.each([
    [{ ca: 'nothing' }, /PEM/],
    [{ match_cn: '(' }, /match_cn/],
    [{ error_page: 'https://a\r\nb' }, /control characters/],
    [{ verify: 'maybe' }, /verify/],
  ])('%o is refused', async (config, message) => {
    await expect(start(config)).rejects.toThrow(message);
  });
});

import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from './gateway.ts';
import { makeCertificate } from './testing/make-certificate.ts';
import { ownPort } from './testing/own-port.ts';
import type { CertificatePair } from './tls/default-certificate.ts';

const host = '127.0.0.1';

interface Visit {
  readonly answer: string;
  readonly session: Buffer | undefined;
  readonly isResumed: boolean;
}

/** Asks once; what came back is empty when the connection was cut. */
async function visit(
  port: number,
  pair?: CertificatePair,
  more: { servername?: string; session?: Buffer; maxVersion?: 'TLSv1.2' } = {},
): Promise<Visit> {
  const socket: TLSSocket = connect({
    host,
    port,
    servername: 'shop.test',
    rejectUnauthorized: false,
    ...(pair && { cert: pair.cert, key: pair.key }),
    ...more,
  });
  let session: Buffer | undefined;
  let answer = '';
  socket.on('session', (one) => {
    session = one;
  });
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  let isResumed = false;
  socket.once('secureConnect', () => {
    isResumed = socket.isSessionReused();
    socket.write('GET / HTTP/1.1\r\nhost: shop.test\r\nconnection: close\r\n\r\n');
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return { answer: answer.slice(0, 12), session, isResumed };
}

describe('a port whose clients show certificates', () => {
  let gateway: Gateway;
  let open: number;
  let asking: number;
  let alice: CertificatePair;
  let mallory: CertificatePair;
  let shop: CertificatePair;

  beforeAll(async () => {
    [alice, mallory, shop] = (await Promise.all(
      ['alice', 'mallory', 'shop.test'].map((name) => makeCertificate(name)),
    )) as [CertificatePair, CertificatePair, CertificatePair];
  });

  beforeEach(async () => {
    open = await ownPort();
    asking = await ownPort();
    gateway = new Gateway({
      admin: false,
      proxy: [],
      config: {
        _format_version: '3.0',
        certificates: [{ ...shop, snis: [{ name: 'shop.test' }] }],
      },
    });
    await gateway.start();
  });
  afterEach(() => gateway.stop());

  const listen = (more: object = {}) =>
    gateway.listenAlso([
      { kind: 'https', host, port: open },
      { kind: 'https', host, port: asking, clientCa: [alice.cert], ...more },
    ]);
  const served = 'HTTP/1.1 404';

  test.each(['shop.test', 'other.test', ''])(
    'lets in who has a right one, for %j',
    async (name) => {
      await listen();
      const to = { servername: name };
      expect((await visit(asking, alice, to)).answer).toBe(served);
      expect((await visit(asking, mallory, to)).answer).toBe('');
      expect((await visit(asking, undefined, to)).answer).toBe('');
      expect((await visit(open, undefined, to)).answer).toBe(served);
    },
  );

  test('takes no session of its neighbour for a certificate', async () => {
    await listen();
    for (const maxVersion of [undefined, 'TLSv1.2'] as const) {
      const version = maxVersion && { maxVersion };
      const { session } = await visit(open, undefined, version);
      expect(session).toBeDefined();
      expect((await visit(open, undefined, { session: session!, ...version })).isResumed).toBe(
        true,
      );
      const next = await visit(asking, undefined, { session: session!, ...version });
      expect(next.answer).toBe('');
    }
  });

  test('goes on with a session that was let in', async () => {
    await listen();
    const { session } = await visit(asking, alice);
    const next = await visit(asking, alice, { session: session! });
    expect(next).toMatchObject({ answer: served, isResumed: true });
  });

  test('lets in everybody where certificates are asked for only', async () => {
    await listen({ isClientOptional: true });
    for (const pair of [alice, mallory, undefined])
      expect((await visit(asking, pair)).answer).toBe(served);
  });

  test('asks for those of other authorities after a change', async () => {
    await listen();
    const { session } = await visit(asking, alice);
    await listen({ clientCa: [mallory.cert] });
    expect((await visit(asking, mallory)).answer).toBe(served);
    expect((await visit(asking, alice, { session: session! })).answer).toBe('');
  });
});

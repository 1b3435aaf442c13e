import 'reflect-metadata';
import {
  createHash,
  createHmac,
  createPublicKey,
  randomUUID,
  verify,
  webcrypto,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';

interface Order {
  readonly host: string;
  readonly token: string;
  status: string;
  authorization: string;
  problem?: string;
  csr?: string;
}

interface Authority {
  readonly cert: x509.X509Certificate;
  readonly keys: CryptoKeyPair;
}

interface Head {
  readonly jwk?: {
    readonly crv: string;
    readonly kty: string;
    readonly x: string;
    readonly y: string;
  };
  readonly kid?: string;
  readonly nonce: string;
  readonly url: string;
}

interface Signed {
  readonly protected?: string;
  readonly payload?: string;
  readonly signature?: string;
}

/** An ACME authority for tests: it checks signatures and nonces, and asks where it is told to ask. */
export class AcmeAuthority {
  /** What was asked for, oldest first. */
  readonly orders: Order[] = [];
  readonly accounts = new Map<string, NonNullable<Head['jwk']>>();
  /** The port that hosts are asked at, which is 80 in the world. */
  challengePort = 0;
  lifetimeMs = 90 * 86_400_000;
  /** The secrets of customers by their names: if there are any, accounts are for customers only. */
  readonly customers = new Map<string, string>();
  /** The authority that a certificate can be had from instead, beside the one that gives it unasked. */
  alternate: string | undefined;
  /** How many requests are refused with a nonce that ran out. */
  staleNonces = 0;
  readonly #nonces = new Set<string>();
  #server: Server | undefined;
  #url = '';
  readonly #authorities = new Map<string, Authority>();

  /** The address of the directory. */
  async start(): Promise<string> {
    this.#server = createServer((message, reply) => {
      this.#answer(message).then(
        ({ status = 200, headers = {}, body }) => {
          const nonce = randomUUID();
          this.#nonces.add(nonce);
          reply.writeHead(status, { 'replay-nonce': nonce, ...headers });
          reply.end(typeof body === 'string' ? body : JSON.stringify(body));
        },
        () => reply.destroy(),
      );
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    for (const name of ['authority', 'other authority']) {
      this.#authorities.set(name, await makeAuthority(name));
    }
    return `${this.#url}/directory`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  async #answer(message: IncomingMessage): Promise<{
    status?: number;
    headers?: Record<string, string>;
    body: unknown;
  }> {
    const path = message.url ?? '';
    if (path === '/directory') {
      const at = (name: string) => `${this.#url}/${name}`;
      return {
        body: { newNonce: at('nonce'), newAccount: at('account'), newOrder: at('order') },
      };
    }
    if (path === '/nonce') return { body: '' };
    let text = '';
    for await (const chunk of message) {
      text += chunk;
    }
    const signed = JSON.parse(text) as Required<Signed>;
    const head = JSON.parse(Buffer.from(signed.protected, 'base64url').toString()) as Head;
    const jwk = head.jwk ?? this.accounts.get(head.kid ?? '');
    const isGenuine =
      jwk !== undefined &&
      head.url === this.#url + path &&
      verify(
        'sha256',
        Buffer.from(`${signed.protected}.${signed.payload}`),
        { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
        Buffer.from(signed.signature, 'base64url'),
      );
    if (!isGenuine) {
      return { status: 401, body: { type: 'urn:ietf:params:acme:error:unauthorized' } };
    }
    if (!this.#nonces.delete(head.nonce) || this.staleNonces > 0) {
      this.staleNonces -= 1;
      return { status: 400, body: { type: 'urn:ietf:params:acme:error:badNonce' } };
    }
    const payload = signed.payload
      ? (JSON.parse(Buffer.from(signed.payload, 'base64url').toString()) as Record<string, unknown>)
      : {};
    return this.#route(path, payload, jwk);
  }

  async #route(
    path: string,
    payload: Record<string, unknown>,
    jwk: NonNullable<Head['jwk']>,
  ): Promise<{ status?: number; headers?: Record<string, string>; body: unknown }> {
    const [, what, index = ''] = path.split('/');
    const order = this.orders[Number(index)];
    if (what === 'account') {
      if (!this.#isCustomer(payload.externalAccountBinding, jwk)) {
        const type = 'urn:ietf:params:acme:error:externalAccountRequired';
        return { status: 403, body: { type } };
      }
      const known = [...this.accounts].find(([, one]) => one.x === jwk.x)?.[0];
      const location = known ?? `${this.#url}/account/${this.accounts.size}`;
      this.accounts.set(location, jwk);
      return { status: 201, headers: { location }, body: { status: 'valid' } };
    }
    if (what === 'order' && index === '') {
      const [identifier] = payload.identifiers as { value: string }[];
      const host = identifier?.value ?? '';
      const token = randomUUID();
      this.orders.push({ host, token, status: 'pending', authorization: 'pending' });
      const location = `${this.#url}/order/${this.orders.length - 1}`;
      return { status: 201, headers: { location }, body: this.#shown(this.orders.length - 1) };
    }
    if (order === undefined) return { status: 404, body: {} };
    if (what === 'challenge') {
      await this.#challenge(order, jwk);
    } else if (what === 'finalize') {
      order.csr = String(payload.csr);
      order.status = 'valid';
    } else if (what === 'certificate') {
      const link = `<${this.#url}/alternate/${index}>;rel="alternate"`;
      const headers: Record<string, string> = this.alternate === undefined ? {} : { link };
      return { headers, body: await this.#sign(order, 'authority') };
    } else if (what === 'alternate') {
      return { body: await this.#sign(order, this.alternate ?? '') };
    } else if (what === 'authorization') {
      const { token, authorization: status, problem } = order;
      const url = `${this.#url}/challenge/${index}`;
      const error = problem === undefined ? undefined : { detail: problem };
      return { body: { status, challenges: [{ type: 'http-01', url, token, error }] } };
    }
    return { body: this.#shown(Number(index)) };
  }

  #shown(index: number): object {
    return {
      status: this.orders[index]?.status,
      authorizations: [`${this.#url}/authorization/${index}`],
      finalize: `${this.#url}/finalize/${index}`,
      certificate: `${this.#url}/certificate/${index}`,
    };
  }

  async #challenge(order: Order, jwk: NonNullable<Head['jwk']>): Promise<void> {
    const { host, token } = order;
    const asked = request({
      host: '127.0.0.1',
      port: this.challengePort,
      path: `/.well-known/acme-challenge/${token}`,
      headers: { host },
      agent: false,
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) {
      text += chunk;
    }
    const print = createHash('sha256')
      .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
      .digest('base64url');
    const isRight = answer.statusCode === 200 && text.trim() === `${token}.${print}`;
    order.authorization = isRight ? 'valid' : 'invalid';
    order.status = isRight ? 'ready' : 'invalid';
    order.problem = `${host} answered ${answer.statusCode}`;
  }

  /** Whether a customer's secret says that the key of an account is theirs (RFC 8555, 7.3.4). */
  #isCustomer(binding: unknown, jwk: NonNullable<Head['jwk']>): boolean {
    if (this.customers.size === 0) return true;
    const { protected: head = '', payload = '', signature = '' } = (binding ?? {}) as Signed;
    const { kid = '', url } = JSON.parse(Buffer.from(head, 'base64url').toString() || '{}') as Head;
    const secret = Buffer.from(this.customers.get(kid) ?? '', 'base64url');
    const right = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
    const bound = Buffer.from(payload, 'base64url').toString();
    return (
      this.customers.has(kid) &&
      signature === right &&
      url === `${this.#url}/account` &&
      (JSON.parse(bound) as { x: string }).x === jwk.x
    );
  }

  async #sign({ csr = '', host }: Order, by: string): Promise<string> {
    const { cert, keys } = this.#authorities.get(by)!;
    const wanted = new x509.Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'));
    const made = await x509.X509CertificateGenerator.create({
      serialNumber: randomUUID().replaceAll('-', ''),
      subject: `CN=${host}`,
      issuer: cert.subject,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + this.lifetimeMs),
      publicKey: wanted.publicKey,
      signingKey: keys.privateKey as never,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
    });
    return `${made.toString('pem')}\n${cert.toString('pem')}\n`;
  }
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function makeAuthority(name: string): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto as never);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys: keys as never,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return { cert, keys };
}

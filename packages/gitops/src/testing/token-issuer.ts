import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

function makeKey(kind: 'ec' | 'rsa'): KeyPair {
  return kind === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** How an issuer that is not well answers: not at all, with an error, cut, or with nonsense. */
type Ailment = 'silent' | 'error' | 'cut' | 'nonsense';

/** An OpenID Connect provider on loopback, as far as who checks its tokens meets it. */
export class TokenIssuer implements AsyncDisposable {
  /** What was asked for, in order. */
  readonly asked: string[] = [];
  ailment: Ailment | undefined;
  /** What its configuration says otherwise. */
  configuration: Record<string, unknown> = {};
  /** Keys that it offers besides its own. */
  furtherKeys: object[] = [];
  readonly #server: Server;
  readonly #silent = new Set<ServerResponse>();
  readonly #kind: 'ec' | 'rsa';
  #key: KeyPair;
  #keyCount = 1;

  static async start(kind: 'ec' | 'rsa' = 'ec'): Promise<TokenIssuer> {
    const issuer = new TokenIssuer(kind);
    issuer.#server.listen(0, '127.0.0.1');
    await once(issuer.#server, 'listening');
    return issuer;
  }

  private constructor(kind: 'ec' | 'rsa') {
    this.#kind = kind;
    this.#key = makeKey(kind);
    if (kind === 'ec') this.configuration = { id_token_signing_alg_values_supported: ['ES256'] };
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      this.#answer(request.url ?? '', response);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get publicKey(): KeyObject {
    return this.#key.publicKey;
  }

  get keyId(): string {
    return `key-${this.#keyCount}`;
  }

  /** Signs with another key from now on, and no longer knows the one before. */
  rotate(): void {
    this.#key = makeKey(this.#kind);
    this.#keyCount += 1;
  }

  /** A token with claims that suit the issuer but for those given. */
  token(claims: Readonly<Record<string, unknown>> = {}, head: object = {}): string {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.url, aud: 'notification-controller', exp: now + 600, iat: now };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const alg = this.#kind === 'ec' ? 'ES256' : 'RS256';
    const data = `${part({ alg, kid: this.keyId, ...head })}.${part({ ...usual, ...claims })}`;
    const key = { key: this.#key.privateKey, dsaEncoding: 'ieee-p1363' as const };
    return `${data}.${sign('sha256', Buffer.from(data), key).toString('base64url')}`;
  }

  /** Those who were left waiting are answered. */
  recover(): void {
    this.ailment = undefined;
    for (const response of this.#silent) this.#answer(response.req.url ?? '', response);
    this.#silent.clear();
  }

  #answer(path: string, response: ServerResponse): void {
    if (this.ailment === 'silent') this.#silent.add(response);
    else if (this.ailment === 'error') response.writeHead(500).end();
    else if (this.ailment === 'nonsense') response.end('<html>');
    else if (this.ailment === 'cut') {
      response.writeHead(200, { 'content-length': '1000' }).write('{"issuer":');
      response.destroy();
    } else if (path === '/.well-known/openid-configuration')
      response.end(
        JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.configuration }),
      );
    else if (path === '/keys')
      response.end(
        JSON.stringify({
          keys: [
            { ...this.publicKey.export({ format: 'jwk' }), kid: this.keyId, use: 'sig' },
            ...this.furtherKeys,
          ],
        }),
      );
    else response.writeHead(404).end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

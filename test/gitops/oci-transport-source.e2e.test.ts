import { createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type Server as PlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { ociRepositoryKind } from '@waygate/gitops';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { OciRegistry } from './oci-registry.ts';
import { SourceCluster } from './source-cluster.ts';

// A registry behind TLS of a private authority that takes tokens of another server, directly and
// through a proxy that wants a password.

let cluster: SourceCluster;
let certificates: Certificates;
let store: OciRegistry;
let secure: OciRegistry;
let tokens: Server;
let proxy: PlainServer;
let digest: string;
const tokenRequests: (string | undefined)[] = [];
const tunnels: string[] = [];
const basicOf = (name: string, word: string) =>
  `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;

beforeAll(async () => {
  certificates = makeCertificates();
  tokens = createServer(
    { cert: readFileSync(certificates.server.cert), key: readFileSync(certificates.server.key) },
    (request, response) => {
      const { authorization } = request.headers;
      tokenRequests.push(authorization);
      if (authorization !== basicOf('reader', 'a-long-word')) {
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end('{"errors":[{"code":"UNAUTHORIZED","message":"who are you"}]}');
        return;
      }
      const scope = new URL(request.url ?? '', 'https://x').searchParams.get('scope') ?? '';
      response.end(JSON.stringify({ token: tokenFor(scope), expires_in: 60 }));
    },
  );
  tokens.listen(0, '127.0.0.1');
  await once(tokens, 'listening');
  proxy = createPlainServer((_request, response) => void response.writeHead(405).end());
  proxy.on('connect', (request, socket) => {
    if (request.headers['proxy-authorization'] !== basicOf('pro', 'xy word')) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const [, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  store = await OciRegistry.start();
  digest = await store.push('team/app', 'latest', { 'a.txt': 'a' });
  const realm = `https://localhost:${(tokens.address() as AddressInfo).port}/token`;
  secure = await OciRegistry.start({
    auth: { realm, certificate: certificates.ca },
    tls: certificates.server,
    dataOf: store,
  });
  cluster = await SourceCluster.start();
  await cluster.secret('authority', { 'ca.crt': readFileSync(certificates.ca, 'utf8') });
  const auths = { [`localhost:${secure.port}`]: { username: 'reader', password: 'a-long-word' } };
  await cluster.secret('pull', { '.dockerconfigjson': JSON.stringify({ auths }) });
});

afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await secure?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  for (const server of [tokens, proxy]) {
    server?.closeAllConnections();
    server?.close();
  }
  rmSync(certificates.directory, { recursive: true, force: true });
});

/** A token such as the registry takes: signed by a key whose certificate its authority issued. */
function tokenFor(scope: string): string {
  const [type, name, actions] = scope.split(':');
  const now = Math.floor(Date.now() / 1000);
  const chain = new X509Certificate(readFileSync(certificates.server.cert));
  const text = [
    { typ: 'JWT', alg: 'ES256', x5c: [chain.raw.toString('base64')] },
    {
      iss: 'test-issuer',
      sub: 'reader',
      aud: 'test-registry',
      exp: now + 60,
      nbf: now - 10,
      iat: now,
      jti: randomUUID(),
      access: [{ type, name, actions: actions?.split(',') }],
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = createPrivateKey(readFileSync(certificates.server.key));
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

async function create(name: string, spec: object = {}): Promise<void> {
  await cluster.create(ociRepositoryKind, name, {
    url: secure.urlOf('team/app', 'localhost'),
    interval: '1h',
    secretRef: { name: 'pull' },
    certSecretRef: { name: 'authority' },
    ...spec,
  });
}

const stored = (name: string) => cluster.untilStored(ociRepositoryKind, name, `latest@${digest}`);

test('a token is had with the password of the Secret', async () => {
  await create('token');
  await stored('token');
  expect(tokenRequests.length).toBeGreaterThan(0);
});

test('a server of an authority that nobody named is not trusted', async () => {
  const before = tokenRequests.length;
  await create('stranger', { certSecretRef: undefined });
  const [, ready] = await cluster.untilFailed(
    ociRepositoryKind,
    'stranger',
    'OCIArtifactPullFailed',
  );
  expect(ready).toContain('x509: certificate signed by unknown authority');
  expect(tokenRequests).toHaveLength(before);
});

test('unless the user says so by name', async () => {
  await create('insecure', { certSecretRef: undefined, insecure: true });
  await stored('insecure');
});

test('a Secret without certificates is told', async () => {
  await cluster.secret('nothing', { other: 'x' });
  await create('no-certificates', { certSecretRef: { name: 'nothing' } });
  const [, ready] = await cluster.untilFailed(
    ociRepositoryKind,
    'no-certificates',
    'AuthenticationFailed',
  );
  expect(ready).toContain(
    `failed to generate transport for '${secure.urlOf('team/app', 'localhost')}': `,
  );
});

test('through a proxy, for those who know its password', async () => {
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await cluster.secret('proxy', { address, username: 'pro', password: 'xy word' });
  await create('proxied', { proxySecretRef: { name: 'proxy' } });
  await stored('proxied');
  expect(tunnels).toContain(`localhost:${secure.port}`);
  await cluster.secret('wrong-proxy', { address, username: 'pro', password: 'hidden-word' });
  await create('proxy-stranger', { proxySecretRef: { name: 'wrong-proxy' } });
  const [, ready] = await cluster.untilFailed(
    ociRepositoryKind,
    'proxy-stranger',
    'OCIArtifactPullFailed',
  );
  expect(ready).toContain('refused the tunnel with 407');
  const words = await cluster.allWords(ociRepositoryKind as never);
  for (const hidden of ['hidden-word', 'a-long-word', 'xy word'])
    expect(words).not.toContain(hidden);
});

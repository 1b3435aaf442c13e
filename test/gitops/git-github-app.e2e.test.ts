import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitRepositoryKind } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { GitHttpsServer } from './git-https-server.ts';
import { SourceCluster } from './source-cluster.ts';
import { WorkTree } from './work-tree.ts';

const token = 'ghs_installation-token';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = (key: KeyObject) => key.export({ type: 'pkcs1', format: 'pem' }).toString();

/** The part of GitHub's API that an app signs in by. It believes nobody whose signature is wrong. */
class GitHubApi {
  readonly asked: string[] = [];
  private readonly server: Server;

  constructor({ server }: Certificates) {
    const tls = { cert: readFileSync(server.cert), key: readFileSync(server.key) };
    this.server = createServer(tls, (request, response) => this.answer(request, response));
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `https://localhost:${(this.server.address() as AddressInfo).port}/api/v3`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push(`${request.method} ${request.url}`);
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!isApp(request.headers.authorization)) return void say(401, { message: `no ${token}` });
    if (request.method === 'GET' && request.url?.startsWith('/api/v3/app/installations?')) {
      return void say(200, [
        { id: 1, account: { login: 'somebody' } },
        { id: 42, account: { login: 'Shop-Org' } },
      ]);
    }
    if (request.method === 'POST' && request.url === '/api/v3/app/installations/42/access_tokens') {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return void say(201, { token, expires_at });
    }
    say(404, { message: 'Not Found' });
  }
}

function isApp(authorization: string | undefined): boolean {
  const [header = '', claims = '', signature = ''] = (authorization ?? '')
    .replace(/^Bearer /, '')
    .split('.');
  const read = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  const now = Date.now() / 1000;
  const { iss, iat, exp } = read(claims);
  return (
    read(header).alg === 'RS256' &&
    verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    ) &&
    iss === '7' &&
    iat <= now &&
    exp > now &&
    exp - iat <= 600
  );
}

describe('a GitHub App', () => {
  const home = mkdtempSync(join(tmpdir(), 'waygate-app-'));
  let cluster: SourceCluster;
  let api: GitHubApi;
  let git: GitHttpsServer;
  let head: string;
  let app: Record<string, string>;
  let certificates: Certificates;

  beforeAll(async () => {
    certificates = makeCertificates();
    api = new GitHubApi(certificates);
    await api.listen();
    git = await GitHttpsServer.start({
      root: home,
      certificates,
      username: 'x-access-token',
      password: token,
    });
    head = new WorkTree(join(home, 'shop.git')).commit({ 'a.yaml': 'a: 1' });
    cluster = await SourceCluster.start();
    app = {
      githubAppID: '7',
      githubAppInstallationID: '42',
      githubAppPrivateKey: pem(privateKey),
      githubAppBaseURL: api.url,
      'ca.crt': readFileSync(certificates.ca, 'utf8'),
    };
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await git?.[Symbol.asyncDispose]();
    await api?.close();
    for (const directory of [home, certificates.directory]) {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  const create = async (name: string, data: Record<string, string>) => {
    const secretRef = await cluster.secret(name, data);
    const spec = { interval: '1h', ref: { branch: 'main' }, url: `${git.url}/shop.git/.git` };
    await cluster.create(gitRepositoryKind, name, { ...spec, provider: 'github', secretRef });
  };

  test('signs in by a token of its installation, and asks for another only when it must', async () => {
    await create('app', app);
    await cluster.untilStored(gitRepositoryKind, 'app', `main@sha1:${head}`);
    await cluster.request(gitRepositoryKind, 'app');
    expect(api.asked).toEqual(['POST /api/v3/app/installations/42/access_tokens']);
  });

  test('finds its installation by whose it is', async () => {
    const { githubAppInstallationID: _id, ...rest } = app;
    await create('owned', { ...rest, githubAppInstallationOwner: 'shop-org' });
    await cluster.untilStored(gitRepositoryKind, 'owned', `main@sha1:${head}`);
  });

  test.each([
    ['forged', { githubAppPrivateKey: pem(other) }, 'AuthenticationFailed', 'HTTP 401'],
    ['elsewhere', { githubAppInstallationID: '43' }, 'AuthenticationFailed', 'HTTP 404'],
    ['keyless', { githubAppPrivateKey: '' }, 'AuthenticationFailed', 'githubAppPrivateKey'],
    ['no-app', { githubAppID: '' }, 'InvalidProviderConfiguration', 'has no github app data'],
  ])('%s: is refused with a reason', async (name, change, reason, said) => {
    await create(name, { ...app, ...change });
    const conditions = await cluster.untilFailed(gitRepositoryKind, name, reason);
    expect(conditions.join('\n')).toContain(said);
  });

  test('tells nobody its key or its token', async () => {
    const words = await cluster.allWords(gitRepositoryKind as never);
    expect(words).not.toContain(token);
    expect(words).not.toContain('PRIVATE KEY');
  });
});

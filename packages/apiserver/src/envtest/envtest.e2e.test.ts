import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CertificateAuthority } from '../tls/certificate-authority.ts';
import { envtestDirectory } from './directory.ts';

const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), 'waygate-envtest-'));
const children: ChildProcess[] = [];
let url = '';
let ca = '';
let admin = { certificate: '', privateKey: '' };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A request as the administrator, by certificate, or with a token. */
function ask(method: string, path: string, body?: unknown, token?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`${url}${path}`, {
      method,
      ca,
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(token === undefined ? { cert: admin.certificate, key: admin.privateKey } : {}),
    });
    request.on('error', reject);
    request.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const isJson = text.startsWith('{');
      resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : { text } });
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(join(envtestDirectory(), program), args, { stdio: 'ignore' });
  children.push(child);
  return child;
}

async function ends(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  child.kill('SIGTERM');
  return ended;
}

// As envtest does it: certificates in a directory, users by certificates, both programs, and then /healthz.
beforeAll(async () => {
  const [etcdPort, port] = [await freePort(), await freePort()];
  const authority = await CertificateAuthority.create(Date.now);
  const users = await CertificateAuthority.create(Date.now);
  const serving = await authority.issueServer(['localhost', '127.0.0.1']);
  admin = await users.issueClient('admin', ['system:masters']);
  ca = authority.pem;
  url = `https://127.0.0.1:${port}`;
  const signer = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const files = {
    'apiserver.crt': serving.certificate,
    'apiserver.key': serving.privateKey,
    'client-cert-auth-ca.crt': users.pem,
    'sa-signer.key': signer.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'sa-signer.crt': signer.publicKey.export({ type: 'spki', format: 'pem' }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  start('etcd', [
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    ...['--listen-peer-urls=http://127.0.0.1:0', '--unsafe-no-fsync=true'],
    `--data-dir=${directory}/etcd`,
  ]);
  start('kube-apiserver', [
    ...['--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1'],
    ...[`--cert-dir=${directory}`, `--client-ca-file=${directory}/client-cert-auth-ca.crt`],
    ...['--disable-admission-plugins=ServiceAccount', `--secure-port=${port}`],
    ...[`--etcd-servers=http://127.0.0.1:${etcdPort}`, `--service-account-issuer=${url}/`],
    `--service-account-key-file=${directory}/sa-signer.crt`,
    `--service-account-signing-key-file=${directory}/sa-signer.key`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  const isUp = (address: Promise<{ status: number }>) =>
    address.then(({ status }) => status === 200).catch(() => false);
  const wait = { timeout: 20_000, interval: 50 };
  const health = `http://127.0.0.1:${etcdPort}/health`;
  await vi.waitFor(async () => expect(await isUp(fetch(health))).toBe(true), wait);
  await vi.waitFor(async () => expect(await isUp(ask('GET', '/healthz'))).toBe(true), wait);
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

test('a certificate of the given authority is a user, and one of the server itself is not enough', async () => {
  const who = await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
  expect(who.body).toMatchObject({ status: { userInfo: { username: 'admin' } } });
  expect((await ask('GET', '/api/v1/pods', undefined, 'nothing')).status).toBe(401);
});

test('pods need no service account, Services are in the given range', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = await ask('POST', pods, { apiVersion: 'v1', kind: 'Pod', ...pod });
  expect(made.status).toBe(201);
  expect(made.body.spec).not.toHaveProperty('serviceAccountName');
  expect(made.body.spec).not.toHaveProperty('volumes');
  const service = await ask('GET', '/api/v1/namespaces/default/services/kubernetes');
  expect(service.body).toMatchObject({ spec: { clusterIP: '10.0.0.1' } });
});

test('tokens are signed by the given key, in the given name, and RBAC holds them', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await ask('POST', accounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'a' },
  });
  const made = await ask('POST', `${accounts}/a/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
  });
  const { token } = made.body.status as { token: string };
  const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
  expect(claims).toMatchObject({ iss: `${url}/`, aud: [`${url}/`] });
  expect((await ask('GET', '/api/v1/nodes', undefined, token)).status).toBe(403);
  const well = await ask('GET', '/.well-known/openid-configuration');
  expect(well.body).toMatchObject({
    issuer: `${url}/`,
    id_token_signing_alg_values_supported: ['ES256'],
  });
});

test('no controllers run: a namespace that is deleted waits', async () => {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } };
  await ask('POST', '/api/v1/namespaces', body);
  await ask('DELETE', '/api/v1/namespaces/leaving');
  const after = await ask('GET', '/api/v1/namespaces/leaving');
  expect(after.body).toMatchObject({ status: { phase: 'Terminating' } });
  const accounts = await ask('GET', '/api/v1/namespaces/default/serviceaccounts/default');
  expect(accounts.status).toBe(404);
});

test('the programs answer for their flags, and kubectl is the one on the PATH', async () => {
  const { stdout } = await run(join(envtestDirectory(), 'etcd'), ['--help']);
  expect(stdout).toMatch(/^\s*--unsafe-no-fsync\b/m);
  const wrong = run(join(envtestDirectory(), 'kube-apiserver'), ['--insecure-port=0']);
  await expect(wrong).rejects.toMatchObject({
    code: 1,
    stderr: 'kube-apiserver: unknown flag: --insecure-port\n',
  });
  const none = run(join(envtestDirectory(), 'kubectl'), ['version'], {
    env: { PATH: `/usr/bin/nowhere:${envtestDirectory()}` },
  });
  await expect(none).rejects.toMatchObject({ code: 127 });
});

test('SIGTERM ends both, in order', async () => {
  const codes = [];
  for (const child of [...children].reverse()) codes.push(await ends(child));
  expect(codes).toEqual([0, 0]);
});

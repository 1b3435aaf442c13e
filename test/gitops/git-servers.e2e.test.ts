import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  customResourceDefinitions,
  GitOpsControllers,
  type GitRepository,
  gitRepositoryKind,
  requestedAtAnnotation,
} from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { run } from '../real/processes.ts';
import { GitHttpsServer } from './git-https-server.ts';
import { makeKeys, SshServer } from './ssh-server.ts';

// The sources of people: git over https with a private authority, and over ssh, from real servers.

const patience = { timeout: 30_000, interval: 20 };
const password = 'correct-horse-battery';
const wrongPassword = 'not-the-one-it-knows';
const key = makeKeys();
const lockedKey = makeKeys('open sesame');

let home: string;
let tree: string;
let api: TestServer;
let client: KubeClient;
let certificates: Certificates;
let https: GitHttpsServer;
let ssh: SshServer;
let running: Promise<void>;
const stopping = new AbortController();
const errors: unknown[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-git-servers-'));
  tree = join(home, 'shop');
  mkdirSync(tree);
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.com');
  certificates = makeCertificates();
  https = await startHttps();
  ssh = await SshServer.start([key, lockedKey]);
  api = await startTestServer();
  client = new KubeClient({
    server: api.url,
    namespace: 'default',
    credentials: staticToken(api.adminToken),
  });
  for (const definition of customResourceDefinitions()) {
    await client
      .resource(kinds.CustomResourceDefinition as unknown as Kind<KubeObject>)
      .create(definition);
  }
  const controllers = new GitOpsControllers({
    client,
    storageDirectory: join(home, 'storage'),
    defaultNamespace: 'default',
    onError: (error) => errors.push(error),
  });
  running = controllers.run(stopping.signal);
  await controllers.ready;
});

afterAll(async () => {
  stopping.abort();
  await running;
  await client?.close();
  await api?.stop();
  await ssh?.[Symbol.asyncDispose]();
  await https?.[Symbol.asyncDispose]();
  for (const directory of [home, certificates.directory]) {
    rmSync(directory, { recursive: true, force: true });
  }
});

function startHttps(): Promise<GitHttpsServer> {
  return GitHttpsServer.start({ root: home, certificates, username: 'reader', password });
}

async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run('git', ['-C', tree, ...args]);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

async function commit(): Promise<string> {
  writeFileSync(join(tree, 'price.txt'), `${performance.now()}\n`);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Another price');
  return git('rev-parse', 'HEAD');
}

async function createSource(
  name: string,
  url: string,
  stringData: Record<string, string>,
  spec: Partial<GitRepository['spec']> = {},
) {
  const metadata = { name, namespace: 'default' };
  await client.resource(kinds.Secret).create({ metadata, stringData });
  await client.resource(gitRepositoryKind).create({
    metadata,
    spec: { url, interval: '1h', ref: { branch: 'main' }, secretRef: { name }, ...spec },
  });
}

const source = (name: string) =>
  client.resource(gitRepositoryKind).get(name, { namespace: 'default' });

const conditionOf = ({ status }: GitRepository, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

async function untilFetched(name: string, sha: string): Promise<void> {
  await vi.waitFor(async () => {
    const found = await source(name);
    expect(conditionOf(found, 'Ready')).toMatchObject({
      status: 'True',
      message: `stored artifact for revision 'main@sha1:${sha}'`,
    });
    expect(found.status?.artifact?.revision).toBe(`main@sha1:${sha}`);
  }, patience);
}

/** The condition that says why nothing came. */
async function untilFailed(name: string) {
  return vi.waitFor(async () => {
    const found = await source(name);
    const failure = conditionOf(found, 'FetchFailed');
    expect(failure?.status).toBe('True');
    expect(conditionOf(found, 'Ready')?.status).toBe('False');
    expect(found.status?.artifact).toBeUndefined();
    return failure!;
  }, patience);
}

async function request(name: string): Promise<void> {
  const annotations = { [requestedAtAnnotation]: `at ${performance.now()}` };
  await client
    .resource(gitRepositoryKind)
    .patch(name, { metadata: { annotations } }, { namespace: 'default' });
}

/** All that people can read: the sources, the events, and what the controllers reported. */
async function allWords(): Promise<string> {
  const sources = await client.resource(gitRepositoryKind).list({ namespace: 'default' });
  const events = await client.resource(kinds.Event).list({ namespace: 'default' });
  const told = errors.map((error) => (error instanceof Error ? error.stack : String(error)));
  return JSON.stringify([sources.items, events.items, told]);
}

const authority = () => readFileSync(certificates.ca, 'utf8');

describe('https', () => {
  const secret = () => ({ username: 'reader', password, 'ca.crt': authority() });

  test('fetches with the authority and the password of the Secret, and again on request', async () => {
    const first = await commit();
    await createSource('https', `${https.url}/shop/.git`, secret());
    await untilFetched('https', first);
    const second = await commit();
    await request('https');
    await untilFetched('https', second);
  });

  test('a wrong password is told, and shown nowhere', async () => {
    await createSource('https-wrong', `${https.url}/shop/.git`, {
      ...secret(),
      password: wrongPassword,
    });
    // As in Flux, AuthenticationFailed is for a Secret that cannot be used at all.
    expect(await untilFailed('https-wrong')).toMatchObject({
      reason: 'GitOperationFailed',
      message: expect.stringContaining('authentication required'),
    });
    await vi.waitFor(async () => expect(await allWords()).toContain('"Warning"'), patience);
    const words = await allWords();
    for (const hidden of [wrongPassword, password]) {
      expect(words).not.toContain(hidden);
      expect(words).not.toContain(Buffer.from(`reader:${hidden}`).toString('base64'));
    }
  });

  test('a Secret without the password is AuthenticationFailed', async () => {
    await createSource('https-half', `${https.url}/shop/.git`, { username: 'reader' });
    expect(await untilFailed('https-half')).toMatchObject({ reason: 'AuthenticationFailed' });
  });

  test('a server of an authority that nobody named is not trusted with the password', async () => {
    await using stranger = await startHttps();
    await createSource('https-stranger', `${stranger.url}/shop/.git`, {
      username: 'reader',
      password,
    });
    const { reason, message } = await untilFailed('https-stranger');
    expect(reason).toBe('GitOperationFailed');
    expect(message).toMatch(/certificate/i);
    expect(stranger.seen).toEqual([]);
  });

  test.each([
    ['at once', true],
    ['after it took the password', false],
  ])('a server that sends on %s leads the password nowhere', async (_when, isOpen) => {
    await using gate = await startHttps();
    await using elsewhere = await startHttps();
    gate.redirectTo = elsewhere.url;
    gate.isOpen = isOpen;
    elsewhere.isOpen = true;
    const sha = await commit();
    const name = `https-redirect-${isOpen}`;
    await createSource(name, `${gate.url}/shop/.git`, secret());
    if (isOpen) await untilFetched(name, sha);
    // Versions of git differ in whether they go on after a password; none may take it along.
    await vi.waitFor(async () => {
      expect(conditionOf(await source(name), 'Ready')?.status).toMatch(/True|False/);
    }, patience);
    expect(elsewhere.seen).not.toEqual([]);
    if (!isOpen) expect(gate.seen).toContainEqual(expect.stringMatching(/^Basic /));
    expect(elsewhere.seen.filter((one) => one !== undefined)).toEqual([]);
  });

  test('a token is taken, and a server that sends on leads it nowhere', async () => {
    await using elsewhere = await startHttps();
    elsewhere.isOpen = true;
    await using gate = await startHttps();
    const token = { bearerToken: password, 'ca.crt': authority() };
    const sha = await commit();
    await createSource('https-token', `${gate.url}/shop/.git`, token);
    await untilFetched('https-token', sha);
    gate.redirectTo = elsewhere.url;
    await createSource('https-token-redirect', `${gate.url}/shop/.git`, token);
    expect(await untilFailed('https-token-redirect')).toMatchObject({
      reason: 'GitOperationFailed',
      message: expect.stringContaining('302'),
    });
    expect(elsewhere.seen).toEqual([]);
  });

  test.each(['password', 'bearerToken'])(
    'a submodule elsewhere never sees the %s',
    async (kind) => {
      await using elsewhere = await startHttps();
      elsewhere.isOpen = true;
      const linked = await commit();
      const modules = `[submodule "part"]\n\tpath = part\n\turl = ${elsewhere.url}/shop/.git\n`;
      writeFileSync(join(tree, '.gitmodules'), modules);
      await git('update-index', '--add', '--cacheinfo', `160000,${linked},part`);
      await git('add', '.gitmodules');
      await git('commit', '--quiet', '--message', 'With a part');
      const sha = await git('rev-parse', 'HEAD');
      const name = `https-submodule-${kind.toLowerCase()}`;
      const token = { bearerToken: password, 'ca.crt': authority() };
      await createSource(name, `${https.url}/shop/.git`, kind === 'password' ? secret() : token, {
        recurseSubmodules: true,
      });
      await untilFetched(name, sha);
      await git('rm', '--quiet', '--cached', 'part');
      await git('rm', '--quiet', '-f', '.gitmodules');
      expect(elsewhere.seen.length).toBeGreaterThan(0);
      expect(elsewhere.seen.filter((one) => one !== undefined)).toEqual([]);
    },
  );
});

describe('ssh', () => {
  const secret = () => ({ identity: key.identity, known_hosts: ssh.knownHosts });
  const url = () => ssh.urlOf(`${tree}/.git`);

  test('fetches with the identity of the Secret, and again on request', async () => {
    const first = await commit();
    await createSource('ssh', url(), secret());
    await untilFetched('ssh', first);
    const second = await commit();
    await request('ssh');
    await untilFetched('ssh', second);
  });

  test('an identity under a passphrase is opened with the password of the Secret', async () => {
    const sha = await git('rev-parse', 'HEAD');
    const { identity } = lockedKey;
    await createSource('ssh-locked', url(), { ...secret(), identity, password: 'open sesame' });
    await untilFetched('ssh-locked', sha);
    expect(await allWords()).not.toContain('open sesame');
  });

  test('a host that is not the one in known_hosts is refused', async () => {
    const other = `[127.0.0.1]:${ssh.port} ${makeKeys().publicKey}\n`;
    await createSource('ssh-host', url(), { ...secret(), known_hosts: other });
    expect(await untilFailed('ssh-host')).toMatchObject({
      reason: 'GitOperationFailed',
      message: expect.stringContaining('ssh: host key verification failed'),
    });
  });

  test('an identity that the server does not know is refused', async () => {
    await createSource('ssh-stranger', url(), { ...secret(), identity: makeKeys().identity });
    expect(await untilFailed('ssh-stranger')).toMatchObject({
      reason: 'GitOperationFailed',
      message: expect.stringContaining('ssh: unable to authenticate'),
    });
  });
});

test('git:// knows no server from another, and is refused by the API', async () => {
  await expect(
    createSource('daemon', 'git://127.0.0.1/shop', { username: 'nobody' }),
  ).rejects.toThrow(/spec\.url/);
});

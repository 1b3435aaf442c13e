import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { customResourceDefinitions } from '@waygate/gitops';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../../packages/cli/src/run-in-process.ts';
// Loaded with the file: the time that a busy machine takes for it is not that of a hook.
import '../../packages/cli/src/verbs/controller.ts';
import { TestRepository } from '../../packages/gitops/src/testing/git-repository.ts';
import { GitHttpsServer } from '../gitops/git-https-server.ts';

// `waygate controller` as a replica that waits for its turn, with its dashboard, over sockets.

const tenants = ['anna', 'bert', 'carl'] as const;
const password = 'open sesame';
const canary = 'canary-7Gq2';

let api: TestServer;
let gateway: Gateway;
let git: GitHttpsServer;
let home: string;
let port: number;
const repository = new TestRepository();
const commits: Record<string, string> = {};
const stop = new AbortController();
let ended: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  commitAll();
  [api, gateway, git] = await Promise.all([
    startTestServer({
      tokens: tenants.map((username) => ({ token: `token-of-${username}`, username })),
    }),
    Promise.resolve(new Gateway({ mode: 'database', proxy: [{ host: '127.0.0.1', port: 0 }] })),
    GitHttpsServer.start({ root: repository.directory, username: 'git', password }),
  ]);
  const { admin } = await gateway.start();
  await fill();
  home = mkdtempSync(join(tmpdir(), 'waygate-cluster-'));
  writeFileSync(join(home, 'kubeconfig'), api.kubeconfig);
  port = await startController(`http://127.0.0.1:${admin!.port}`);
}, 90_000);

afterAll(async () => {
  stop.abort();
  await ended;
  await git?.[Symbol.asyncDispose]();
  await gateway?.stop();
  await api?.stop();
  repository.remove();
  rmSync(home, { recursive: true, force: true });
});

/** What is in force, and what a branch, a tag and a pull request would make of it. */
function commitAll(): void {
  const base = (name: string, more = '') =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {of: ${name}${more}}\n`;
  const kustomization = 'resources: [all.yaml]\n';
  commits.main = repository.commit({
    'anna/kustomization.yaml': kustomization,
    'anna/all.yaml': base('anna'),
    'bert/kustomization.yaml': kustomization,
    'bert/all.yaml': base('bert'),
  });
  const change = (ref: string, text: string) => {
    repository.git('checkout', '--quiet', '-B', 'work', 'main');
    commits[ref] = repository.commit({
      'anna/all.yaml': text,
      'bert/all.yaml': base('bert', '-in-private'),
    });
    repository.git('update-ref', ref, 'HEAD');
  };
  change('refs/heads/feature', `${base('anna', '-in-a-branch')}---\n${ingress('shop', 'web')}`);
  change('refs/tags/v2', base('anna', '-in-a-tag'));
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\nstringData: {a: ${canary}}\n`;
  change('refs/pull/7/head', `${base('anna', '-in-a-request')}---\n${secret}`);
  repository.git('checkout', '--quiet', 'main');
  repository.git('branch', '--quiet', '-D', 'work');
}

function ingress(name: string, service: string): string {
  return JSON.stringify({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name },
    spec: {
      ingressClassName: 'inside',
      rules: [
        {
          http: {
            paths: [
              {
                path: `/${name}`,
                pathType: 'Prefix',
                backend: { service: { name: service, port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  });
}

async function create(path: string, object: object): Promise<void> {
  const { status, body } = await api.request('POST', path, object);
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
}

async function fill(): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await Promise.all(customResourceDefinitions().map((each) => create(definitions, each)));
  for (const name of tenants) await create('/api/v1/namespaces', { metadata: { name } });
  await create('/api/v1/namespaces', { metadata: { name: 'shared' } });
  await create('/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'inside' },
    spec: { controller: 'ingress-controllers.konghq.com/kong' },
  });
  // Everybody reads the source; its Secret is for anna and bert alone.
  const sources = { apiGroups: ['source.toolkit.fluxcd.io'], resources: ['gitrepositories'] };
  const read = ['get', 'list', 'watch'];
  await grant('shared', [{ ...sources, verbs: read }], tenants);
  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
  await grant('shared', [secrets], ['anna', 'bert'], 'secrets');
  for (const name of tenants)
    await grant(name, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], [name]);
  await create('/api/v1/namespaces/shared/secrets', {
    metadata: { name: 'login' },
    stringData: { username: 'git', password },
  });
  await create('/apis/source.toolkit.fluxcd.io/v1/namespaces/shared/gitrepositories', {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'app' },
    spec: { interval: '1h', url: `${git.url}/.git`, secretRef: { name: 'login' } },
  });
  for (const name of ['anna', 'bert'])
    await create(`/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${name}/kustomizations`, {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'app' },
      spec: {
        interval: '1h',
        prune: true,
        path: `./${name}`,
        targetNamespace: name,
        sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'shared' },
      },
    });
  for (const name of ['anna', 'bert'])
    await create(
      `/apis/networking.k8s.io/v1/namespaces/${name}/ingresses`,
      JSON.parse(ingress(`lost-of-${name}`, `nothing-of-${name}`)),
    );
  await create('/api/v1/namespaces/anna/services', {
    metadata: { name: 'web' },
    spec: { ports: [{ port: 80 }] },
  });
  await create('/apis/coordination.k8s.io/v1/namespaces/shared/leases', {
    metadata: { name: 'election' },
    spec: {
      holderIdentity: 'the other replica',
      leaseDurationSeconds: 3_600,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  });
}

async function grant(
  namespace: string,
  rules: readonly object[],
  people: readonly string[],
  name = 'reader',
): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await create(`${rbac}/roles`, { metadata: { name }, rules });
  const apiGroup = 'rbac.authorization.k8s.io';
  await create(`${rbac}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: people.map((each) => ({ kind: 'User', apiGroup, name: each })),
  });
}

function startController(admin: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const run = runInProcess(
      [
        ...['controller', '--controllers=ingress', '--ingress-class=inside'],
        ...['--kubeconfig', join(home, 'kubeconfig'), '--kong-admin-url', admin],
        ...['--health-probe-bind-address=off', '--metrics-bind-address=off', '--log-format=json'],
        ...['--election-id=election', '--election-namespace=shared'],
        '--dashboard-bind-address=127.0.0.1:0',
      ],
      {
        signal: stop.signal,
        onStderr: (text) => {
          said += text;
          const found = /"port":(\d+)/.exec(said)?.[1];
          if (found !== undefined) resolve(Number(found));
        },
      },
    );
    ended = run;
    run.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: {
    readonly items?: readonly { readonly message: string }[];
    readonly objects?: readonly { readonly object: { readonly kind: string } }[];
    readonly entities?: readonly { readonly kind: string; readonly name: string }[];
    readonly commit?: string;
  };
}

async function ask(name: string, path: string, question?: object): Promise<Answer> {
  const authorization = `Bearer token-of-${name}`;
  const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
    headers: {
      authorization,
      ...(question && {
        'content-type': 'application/json',
        'x-waygate-csrf': await csrfTokenOf(authorization),
      }),
    },
    ...(question && { method: 'POST', body: JSON.stringify(question) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}

const preview = (name: string, ref: string) => ask(name, 'preview', { source: 'shared/app', ref });

/** As the page does it, with the token that goes with the session. */
async function csrfTokenOf(authorization: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/session`, {
    headers: { authorization },
  });
  return ((await answer.json()) as { csrfToken: string }).csrfToken;
}

describe('a replica that waits for its turn', () => {
  test('tells what cannot be translated, to those whose it is', async () => {
    await expect
      .poll(async () => (await ask('anna', 'problems')).text)
      .toContain('nothing-of-anna');
    const { text } = await ask('anna', 'problems');
    expect(text).not.toContain('bert');
    const { body } = await api.request(
      'GET',
      '/apis/networking.k8s.io/v1/namespaces/anna/ingresses/lost-of-anna',
    );
    expect(body).not.toHaveProperty('status.loadBalancer.ingress');
  });
});

describe('a preview in a cluster', () => {
  test('names the references of the source, read as who looks', async () => {
    const { text } = await ask('anna', 'refs?source=shared/app');
    for (const name of ['main', 'feature', 'v2', 'refs/pull/7/head']) expect(text).toContain(name);
    const refused = await ask('carl', 'refs?source=shared/app');
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).not.toContain('feature');
    expect((await ask('anna', 'refs?source=bert/app')).status).toBe(404);
  });

  test.each([
    ['feature', 'refs/heads/feature', ['ConfigMap', 'Ingress']],
    ['v2', 'refs/tags/v2', ['ConfigMap']],
    ['refs/pull/7/head', 'refs/pull/7/head', ['ConfigMap', 'Secret']],
    ['main', 'main', ['ConfigMap']],
  ])('of %s shows what it would change, and writes nothing', async (ref, commit, kinds) => {
    const before = await everything();
    const { status, text, body } = await preview('anna', ref);
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(body.commit).toBe(commits[commit]);
    expect(body.objects?.map(({ object }) => object.kind).sort()).toEqual(kinds);
    const routes = body.entities?.filter(({ kind }) => kind === 'routes') ?? [];
    expect(routes.length, text).toBe(kinds.includes('Ingress') ? 1 : 0);
    expect(text).not.toMatch(/bert|canary-7Gq2/);
    expect(await everything()).toBe(before);
  });

  test('is of a commit, too; of what is not there it says so', async () => {
    const { body } = await preview('anna', commits['refs/tags/v2']!);
    expect(body.objects?.length).toBe(1);
    const { status, text } = await preview('anna', 'no-such-branch');
    expect([status, text]).toEqual([
      502,
      expect.stringMatching(/no branch and no tag .*no-such-branch/),
    ]);
  });

  test('shows everybody their own part, and to who may not read the login nothing', async () => {
    const { text } = await preview('bert', 'feature');
    expect(text).toContain('bert-in-private');
    expect(text).not.toContain('anna');
    const refused = await preview('carl', 'feature');
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).not.toMatch(/anna-in|bert-in|open sesame/);
  });
});

/** Every object that a preview could have written, and every entity. */
async function everything(): Promise<string> {
  const paths = ['configmaps', 'secrets', 'events'].map((name) => `/api/v1/${name}`);
  const apis = [
    'networking.k8s.io/v1/ingresses',
    'kustomize.toolkit.fluxcd.io/v1/kustomizations',
    'source.toolkit.fluxcd.io/v1/gitrepositories',
  ];
  const answers = await Promise.all(
    [...paths, ...apis.map((path) => `/apis/${path}`)].map((path) => api.request('GET', path)),
  );
  return JSON.stringify(answers.map(({ body }) => (body as { items: unknown }).items));
}

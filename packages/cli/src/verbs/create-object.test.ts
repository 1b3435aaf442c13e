import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  alertKind,
  customResourceDefinitions,
  gitRepositoryKind,
  kustomizationKind,
} from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { runInProcess } from '../run-in-process.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-create-'));
  writeFileSync(join(directory, 'a.yaml'), 'web: {replicas: 1, name: a}\n');
  writeFileSync(join(directory, 'b.yaml'), 'web: {replicas: 2}\n');
});

afterAll(() => rmSync(directory, { recursive: true }));

function head(apiVersion: string, kind: string, name: string, namespace = 'flux-system'): string {
  return `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n`;
}

const source = 'source.toolkit.fluxcd.io/v1';

describe('create --export', () => {
  test.each([
    [
      'source git shop --url=https://git.example/shop --branch=main --commit=abc --interval=90s',
      `${head(source, 'GitRepository', 'shop')}spec:
  interval: 1m30s
  ref:
    branch: main
    commit: abc
  url: https://git.example/shop
`,
    ],
    [
      'source oci shop --url=oci://registry.example/shop --tag=1.4 -n apps --layer-selector=a/b:copy',
      `${head(source, 'OCIRepository', 'shop', 'apps')}spec:
  interval: 1m0s
  layerSelector:
    mediaType: a/b
    operation: copy
  provider: generic
  ref:
    tag: "1.4"
  url: oci://registry.example/shop
`,
    ],
    [
      'source bucket shop --bucket-name=shop --endpoint=minio.example:9000 --insecure=true --region=eu',
      `${head(source, 'Bucket', 'shop')}spec:
  bucketName: shop
  endpoint: minio.example:9000
  insecure: true
  interval: 1m0s
  provider: generic
  region: eu
`,
    ],
    [
      'source helm shop --url=oci://registry.example/charts --oci-provider=aws --secret-ref=s --pass-credentials',
      `${head(source, 'HelmRepository', 'shop')}spec:
  interval: 1m0s
  passCredentials: true
  provider: aws
  secretRef:
    name: s
  type: oci
  url: oci://registry.example/charts
`,
    ],
    [
      'kustomization apps --source=ocirepository/shop.other --path=apps/../web --prune=false --health-check=HelmRelease/a.b',
      `${head('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'apps')}spec:
  healthChecks:
  - apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    name: a
    namespace: b
  interval: 1m0s
  path: ./web
  prune: false
  sourceRef:
    kind: OCIRepository
    name: shop
    namespace: other
  timeout: 2m0s
`,
    ],
    [
      'hr web --source=HelmRepository/shop --chart=web --values=a.yaml,b.yaml --crds=Skip --target-namespace=web',
      `${head('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'web')}spec:
  chart:
    spec:
      chart: web
      reconcileStrategy: ChartVersion
      sourceRef:
        kind: HelmRepository
        name: shop
  install:
    crds: Create
  interval: 1m0s
  storageNamespace: web
  targetNamespace: web
  upgrade:
    crds: Skip
  values:
    web:
      name: a
      replicas: 2
`,
    ],
    [
      'alert on-call --provider-ref=chat --event-source=Kustomization/*,GitRepository/a.b',
      `${head('notification.toolkit.fluxcd.io/v1beta3', 'Alert', 'on-call')}spec:
  eventSources:
  - kind: Kustomization
    name: '*'
  - kind: GitRepository
    name: a
    namespace: b
  providerRef:
    name: chat
`,
    ],
    [
      'secret oci pull --url=registry.example --username=bot --password=word',
      `${head('v1', 'Secret', 'pull')}stringData:
  .dockerconfigjson: |-
    {
      "auths": {
        "registry.example": {
          "username": "bot",
          "password": "word",
          "auth": "Ym90OndvcmQ="
        }
      }
    }
type: kubernetes.io/dockerconfigjson

`,
    ],
    [
      'secret git auth --url=https://git.example --username=bot --password=word',
      `${head('v1', 'Secret', 'auth')}stringData:
  password: word
  username: bot

`,
    ],
  ])('%s', async (words, expected) => {
    const args = ['create', ...words.split(' '), '--export'];
    const { stdout, stderr, exitCode } = await runInProcess(args, { cwd: directory });
    expect(stderr).toBe('');
    expect(stdout).toBe(expected);
    expect(exitCode).toBe(0);
  });

  test.each([
    ['source git', 'name is required'],
    ['source git Shop', "name 'Shop' is invalid"],
    ['source git shop', 'url is required'],
    ['source git shop --url=ftp://x', "git URL scheme 'ftp' not supported"],
    ['source git shop --url=https://x', 'a Git ref is required'],
    ['source oci shop --url=oci://x', '--tag, --tag-semver or --digest is required'],
    ['source git shop --url=https://x --branch=a --label=a', "invalid label format 'a'"],
    ['kustomization apps --source=Secret/x', "source kind 'Secret' is not supported"],
    ['hr web --chart=a --chart-ref=b', 'cannot use --chart in combination'],
    ['alert on-call --provider-ref=chat', 'at least one event source is required'],
    ['secret tls certs', 'no CA certificate or client certificate pair found'],
    ['secret git auth --url=https://x', 'the username and password, or a bearer token'],
  ])('%s is refused', async (words, said) => {
    const { stderr, exitCode } = await runInProcess(['create', ...words.split(' '), '--export']);
    expect(stderr).toContain(said);
    expect(exitCode).toBe(64);
  });

  test('the kustomization file is made as before', async () => {
    const { exitCode } = await runInProcess(['create', '--resources', 'a.yaml'], {
      cwd: directory,
    });
    expect(exitCode).toBe(0);
  });

  test('certificates that do not belong together are refused, and not quoted', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    writeFileSync(join(directory, 'key.pem'), key);
    writeFileSync(join(directory, 'cert.pem'), 'none');
    const words = 'create secret tls certs --export --tls-crt-file=cert.pem --tls-key-file=key.pem';
    const { stderr, exitCode } = await runInProcess(words.split(' '), { cwd: directory });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be read');
    expect(stderr).not.toContain(key.split('\n')[1]);
  });
});

describe('create, export and delete in a cluster', () => {
  let server: TestServer;
  let client: KubeClient;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await startTestServer();
    client = new KubeClient({
      server: server.url,
      namespace: 'default',
      credentials: staticToken(server.adminToken),
    });
    for (const definition of customResourceDefinitions()) {
      await server.request(
        'POST',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        definition,
      );
    }
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig);
    env = { KUBECONFIG: kubeconfig };
  });

  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  const run = (words: string, stdin?: string) =>
    runInProcess(words.split(' '), { env, ...(stdin === undefined ? {} : { stdin }) });

  test('a source is made and waited for, then changed, exported and deleted', async () => {
    const create =
      'create source git shop --url=https://git.example --username=bot --password=word';
    const making = run(`${create} --branch=main`);
    const repositories = client.resource(gitRepositoryKind);
    const at = { namespace: 'default' };
    const ready = async (generation: number) => {
      await vi.waitFor(
        async () =>
          expect((await repositories.get('shop', at)).metadata.generation).toBe(generation),
        patience,
      );
      const status = {
        observedGeneration: generation,
        conditions: [
          {
            type: 'Ready',
            status: 'True' as const,
            reason: 'Succeeded',
            message: 'stored',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
        artifact: {
          revision: 'main@sha1:abc',
          digest: `sha256:${'0'.repeat(64)}`,
          lastUpdateTime: '2026-01-01T00:00:00Z',
          path: 'a',
          url: 'http://a.example/a',
        },
      };
      await repositories.status.patch('shop', { status }, at);
    };
    await ready(1);
    const made = await making;
    expect(
      made.stderr,
    ).toBe(`There is no namespace flux-system; this goes into default (-n names another).
✚ generating GitRepository source
► applying secret with credentials
✔ authentication configured
► applying GitRepository source
✔ GitRepository source created
◎ waiting for GitRepository source reconciliation
✔ GitRepository source reconciliation completed
✔ fetched revision: main@sha1:abc
`);
    expect(made.exitCode).toBe(0);
    const secret = await client.resource(kinds.Secret).get('shop', at);
    expect(Buffer.from(secret.data?.password ?? '', 'base64').toString()).toBe('word');

    const changing = run(`${create} --tag=v1 --interval=10m`);
    await ready(2);
    expect((await changing).stderr).toContain('✔ GitRepository source updated');

    const exported = await run('export source git shop');
    expect(exported.stdout).toBe(`${head(source, 'GitRepository', 'shop', 'default')}spec:
  interval: 10m0s
  ref:
    tag: v1
  secretRef:
    name: shop
  timeout: 1m0s
  url: https://git.example
`);
    const whole = await run('export source git --all --with-credentials');
    expect(whole.stdout.match(/^kind: .*$/gm)).toEqual(['kind: GitRepository', 'kind: Secret']);

    expect((await run('delete source git shop', 'n\n')).stderr).toContain('nothing was done');
    expect((await run('delete source git shop')).stderr).toContain('nobody is there to answer');
    expect((await repositories.list(at)).items).toHaveLength(1);
    const deleted = await run('delete source git shop --silent');
    expect(deleted.stderr).toContain('✔ source git deleted');
    expect((await repositories.list(at)).items).toHaveLength(0);
  });

  test('what no controller answers for is not waited for', async () => {
    const made = await run('create alert on-call --provider-ref=chat --event-source=Bucket/a');
    expect(made.stderr).toContain('✔ Alert created');
    expect(made.exitCode).toBe(0);
    expect((await client.resource(alertKind).list()).items).toHaveLength(1);
  });

  test('a tenant has a namespace, an account and rights', async () => {
    const made = await run('create tenant team --with-namespace=team-a --cluster-role=admin');
    expect(made.stderr).toContain('✔ tenant setup completed');
    const again = await run('create tenant team --with-namespace=team-a --cluster-role=view');
    expect(again.exitCode).toBe(0);
    const bindings = await client.resourceOf({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
    });
    const binding = await bindings.get('team-reconciler', { namespace: 'team-a' });
    expect(binding.roleRef).toMatchObject({ name: 'view' });
  });

  test('what nobody answers for in time is said', async () => {
    const words = 'create ks apps --source=shop --path=./ --timeout=100ms';
    const { exitCode, stderr } = await run(words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('was not reconciled in time');
    expect((await client.resource(kustomizationKind).list()).items).toHaveLength(1);
  });
});

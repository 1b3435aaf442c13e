import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PodSpec } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import type { KubectlProgram } from '../apiserver/kubectl.ts';
import { GitHttpsServer } from '../gitops/git-https-server.ts';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { type Running, run, start, waygate, workspace } from '../real/processes.ts';
import { until } from '../until.ts';
import { type DeployCluster, startDeployCluster } from './cluster.ts';
import { objectsOf, system, workloadsOf } from './manifests.ts';
import { allExpressions, missingMetrics, panelsOf, scrapedMetrics } from './monitoring.ts';

// deploy/ as a cluster has it: the controllers run with the arguments of their Deployments and with the
// rights of their accounts, and nothing more.

const password = 'known-to-the-cluster-only';
const backend = createServer((_, response) => response.end('from the backend'));

let home: string;
let cluster: DeployCluster;
let kubectl: KubectlProgram;
let certificates: Certificates;
let https: GitHttpsServer;
let gateway: Running;
let ingress: Running;
let gitops: Running;
let proxyUrl: string;
let metricsPorts: { readonly ingress: number; readonly gitops: number };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-deploy-'));
  certificates = makeCertificates();
  backend.listen(0, '127.0.0.1');
  cluster = await startDeployCluster();
  kubectl = cluster.kubectl;
  https = await GitHttpsServer.start({ root: home, certificates, username: 'reader', password });
  await commitShop();
  await kubectl.run(['apply', '--server-side', '-k', join(workspace, 'deploy')]);
  await kubectl.run([
    ...['patch', 'service/waygate-proxy', '--namespace', system, '--subresource=status'],
    ...[
      '--type=merge',
      '--patch',
      '{"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.7"}]}}}',
    ],
  ]);
  metricsPorts = { ingress: await ownPort(), gitops: await ownPort() };
  gateway = start(process.execPath, [
    waygate,
    'gateway',
    'run',
    `--database=${join(home, 'kong')}`,
    ...['proxy', 'proxy-tls', 'admin'].map((name) => `--${name}-listen=127.0.0.1:0`),
  ]);
  const adminUrl = await printed(gateway, /Admin API: (http:\S+)/);
  proxyUrl = await printed(gateway, /proxy: (http:[^,\s]+)/);
  ingress = await startAsDeployed('waygate-ingress', {
    CONTROLLER_KONG_ADMIN_URL: adminUrl,
    CONTROLLER_HEALTH_PROBE_BIND_ADDRESS: '127.0.0.1:0',
    CONTROLLER_METRICS_BIND_ADDRESS: `127.0.0.1:${metricsPorts.ingress}`,
  });
  gitops = await startAsDeployed('waygate-gitops', {}, [
    `--storage-path=${join(home, 'storage')}`,
    '--storage-addr=127.0.0.1:0',
    `--metrics-addr=127.0.0.1:${metricsPorts.gitops}`,
    '--health-addr=127.0.0.1:0',
  ]);
}, 60_000);

afterAll(async () => {
  // Nobody else would take away what was applied, and let go of what says so.
  if (cluster?.isReal)
    await kubectl.attempt(['delete', '--timeout=30s', 'kustomization/shop', 'gitrepository/shop']);
  for (const program of [gitops, ingress, gateway]) await program?.stop();
  await https?.[Symbol.asyncDispose]();
  await cluster?.stop();
  backend.close();
  for (const directory of [home, certificates?.directory])
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}, 60_000);

/** The arguments of the controller in a workload of deploy/. */
async function argumentsOf(name: string): Promise<readonly string[]> {
  const found = workloadsOf(await objectsOf('.')).find(({ metadata }) => metadata.name === name);
  return found!.spec.template.spec.containers[0]!.args!.map((argument) =>
    argument.replaceAll(/\$\((?:RUNTIME|POD)_NAMESPACE\)/g, system),
  );
}

/** The program of a Deployment, with the token of its account; what a test machine cannot give is replaced. */
async function startAsDeployed(
  name: string,
  environment: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<Running> {
  const token = (await kubectl.run(['create', 'token', name, '--namespace', system])).trim();
  const kubeconfig = join(home, `${name}.kubeconfig`);
  const asAccount = ['--kubeconfig', kubeconfig];
  const { url, caCertificate } = cluster;
  writeFileSync(join(home, 'ca.crt'), caCertificate);
  const config = (...args: string[]) => run('kubectl', [...asAccount, 'config', ...args]);
  await config(
    'set-cluster',
    'c',
    `--server=${url}`,
    `--certificate-authority=${join(home, 'ca.crt')}`,
  );
  await config('set-credentials', 'a', `--token=${token}`);
  await config('set-context', 'c', '--cluster=c', '--user=a', `--namespace=${system}`);
  await config('use-context', 'c');
  return start(process.execPath, [waygate, ...(await argumentsOf(name)), ...more], {
    KUBECONFIG: kubeconfig,
    POD_NAME: `${name}-0`,
    POD_NAMESPACE: system,
    RUNTIME_NAMESPACE: system,
    ...environment,
  });
}

function printed(program: Running, pattern: RegExp): Promise<string> {
  return until(`the output to have ${pattern}`, () => pattern.exec(program.output())?.[1]);
}

const serviceWithEndpoints = (port: number): string => `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { ports: [{ name: http, port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: web
  namespace: default
  labels: { kubernetes.io/service-name: web }
addressType: IPv4
endpoints: [{ addresses: [127.0.0.1], conditions: { ready: true } }]
ports: [{ name: http, port: ${port} }]
`;

/** Only the embedded API can be told to take endpoints on loopback. */
const namedService = (port: number): string => `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { type: ExternalName, externalName: 127.0.0.1, ports: [{ name: http, port: ${port} }] }
`;

async function commitShop(): Promise<void> {
  const tree = join(home, 'shop');
  mkdirSync(tree);
  const { port } = backend.address() as AddressInfo;
  writeFileSync(
    join(tree, 'shop.yaml'),
    `${cluster.isReal ? namedService(port) : serviceWithEndpoints(port)}---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: default }
spec:
  ingressClassName: kong
  rules:
    - http:
        paths:
          - path: /web
            pathType: Prefix
            backend: { service: { name: web, port: { number: ${cluster.isReal ? port : 80} } } }
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata:
  name: alice
  namespace: default
  annotations: { kubernetes.io/ingress.class: kong }
username: alice
`,
  );
  const git = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await run('git', ['-C', tree, ...args]);
    if (code !== 0) throw new Error(stderr);
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '--all');
  await git(
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.com',
    'commit',
    '--quiet',
    '-m',
    'Shop',
  );
}

const follow = (url: string, ca: string): string => `apiVersion: v1
kind: Secret
metadata: { name: shop, namespace: default }
stringData:
  username: reader
  password: ${password}
  ca.crt: ${JSON.stringify(ca)}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: shop, namespace: default }
spec: { interval: 1m, url: "${url}/shop", ref: { branch: main }, secretRef: { name: shop } }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: shop, namespace: default }
spec: { interval: 10m, prune: true, wait: true, path: ./, sourceRef: { kind: GitRepository, name: shop } }
`;

describe('deploy/', () => {
  test('a commit becomes traffic, with the rights that the manifests give', async () => {
    await kubectl.apply(follow(https.url, readFileSync(certificates.ca, 'utf8')));
    const isServed = async () => {
      const { stdout } = await run('curl', ['-s', `${proxyUrl}/web`]);
      return stdout === 'from the backend';
    };
    // A Lease of somebody who ended without a word may have to run out first.
    await until('the route to answer', isServed, { timeout: 60_000 });
    await kubectl.run(['wait', 'kustomization/shop', '--for=condition=Ready', '--timeout=20s']);
    const { status } = await kubectl.json<{ status: { artifact: { url: string } } }>([
      'get',
      'gitrepository/shop',
    ]);
    expect(status.artifact.url).toMatch(/^http:\/\/waygate-artifacts\.waygate-system\.svc\.\//);
  }, 90_000);

  test('statuses are written', async () => {
    const address = ['--for=jsonpath={.status.loadBalancer.ingress[0].ip}=203.0.113.7'];
    await kubectl.run(['wait', 'ingress/web', ...address, '--timeout=20s']);
    await kubectl.run([
      'wait',
      'kongconsumer/alice',
      '--for=condition=Programmed',
      '--timeout=20s',
    ]);
  });

  test('each leads on a Lease in its own namespace', async () => {
    const names = await kubectl.run(['get', 'leases', '--namespace', system, '-o', 'name']);
    expect(names.trim().split('\n').sort()).toEqual([
      'lease.coordination.k8s.io/5b374a9e.konghq.com',
      'lease.coordination.k8s.io/waygate-gitops',
    ]);
  });

  test.each([
    ['create', 'secrets', 'no'],
    ['delete', 'ingresses', 'no'],
    ['update', 'services', 'no'],
    ['list', 'secrets', 'yes'],
    ['patch', 'ingresses --subresource=status', 'yes'],
  ])('the ingress controller may %s %s: %s', async (verb, resource, answer) => {
    const account = `system:serviceaccount:${system}:waygate-ingress`;
    const { stdout } = await kubectl.attempt([
      ...['auth', 'can-i', verb, ...resource.split(' ')],
      ...['--as', account, '--namespace', 'default'],
    ]);
    expect(stdout.trim()).toBe(answer);
  });

  test('what they expose is all that dashboards and alerts ask for', async () => {
    const page = async (port: number) => {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      return scrapedMetrics(await response.text());
    };
    const boards = [
      ['waygate-ingress.json', metricsPorts.ingress],
      ['waygate-gitops.json', metricsPorts.gitops],
    ] as const;
    // Each board is about one program; rules are about both. A program has all it has once it runs.
    const missing = async () => {
      const known: Map<string, Set<string> | undefined> = new Map();
      const found: string[] = [];
      for (const [board, port] of boards) {
        const own = await page(port);
        for (const [name, labels] of own) known.set(name, labels ?? known.get(name));
        for (const { targets } of panelsOf(board))
          for (const { expr } of targets) found.push(...missingMetrics(expr, own));
      }
      return [...found, ...allExpressions().flatMap((one) => missingMetrics(one, known))];
    };
    await vi.waitFor(async () => expect(await missing()).toEqual([]), { timeout: 20_000 });
  });

  test('their Pods are let in where only restricted ones are', async () => {
    const tried = async (metadata: object, spec: PodSpec) => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
      return kubectl.attempt(['create', '--dry-run=server', '-f', '-'], { input });
    };
    for (const { metadata, spec } of workloadsOf(await objectsOf('.'))) {
      const pod = { name: metadata.name, namespace: system };
      const { code, stderr } = await tried(pod, spec.template.spec);
      expect(stderr).toBe('');
      expect(code, metadata.name).toBe(0);
    }
    const plain = { containers: [{ name: 'c', image: 'c' }] };
    const refused = await tried({ name: 'plain', namespace: system }, plain);
    expect(refused.stderr).toContain('violates PodSecurity "restricted');
  });

  test('nothing was forbidden to them', () => {
    for (const program of [ingress, gitops]) expect(program.output()).not.toMatch(/forbidden/i);
  });
});

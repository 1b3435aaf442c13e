import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, loadConfig } from '@waygate/kube';
import { parseYaml, printYaml } from '@waygate/text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { type Running, start, waygate } from '../real/processes.ts';
import { until } from '../until.ts';
import { ChaosProxy } from './chaos-proxy.ts';

// What clusters do on bad days, done to real processes: an API server, a gateway with a database, and two
// controllers of which one leads. After each blow traffic has to become what the manifests say.

const shops = 20;
/** The sync period: a target that left longer ago than this gets no request. */
const syncPeriodMs = 3_000;
const patience = 40_000;

let home: string;
let apiPort: number;
let adminPort: number;
let proxyPort: number;
let api: Running;
let gateway: Running;
let apiProxy: ChaosProxy;
let adminProxy: ChaosProxy;
let client: KubeClient;
const controllers = new Map<string, Running>();
const backends: Server[] = [];
const ports: number[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Since when a shop has which backend, the latest last. */
const history: { readonly at: number; readonly backend: number }[][] = [];

const kubeconfig = () => join(home, 'kubeconfig');

async function printed(program: Running, pattern: RegExp, from = 0): Promise<void> {
  await until(String(pattern), () => pattern.test(program.output().slice(from)), {
    timeout: patience,
  });
}

async function startApi(): Promise<void> {
  api = start(process.execPath, [
    ...[waygate, 'apiserver', '--data-dir', join(home, 'api'), '--port', String(apiPort)],
    ...['--kubeconfig-out', kubeconfig(), '--allow-loopback-endpoints'],
  ]);
  await printed(api, /serving on/);
}

async function startGateway(): Promise<void> {
  gateway = start(process.execPath, [
    ...[waygate, 'gateway', 'run', `--database=${join(home, 'kong')}`],
    `--proxy-listen=127.0.0.1:${proxyPort}`,
    '--proxy-tls-listen=127.0.0.1:0',
    `--admin-listen=127.0.0.1:${adminPort}`,
  ]);
  await printed(gateway, /Admin API/);
}

function startController(name: string): void {
  controllers.set(
    name,
    start(
      process.execPath,
      [
        ...[waygate, 'controller', '--controllers=ingress'],
        `--kubeconfig=${join(home, 'through-proxy')}`,
        `--kong-admin-url=${adminProxy.url}`,
        '--election-namespace=default',
        '--health-probe-bind-address=off',
        '--metrics-bind-address=off',
        `--proxy-sync-seconds=${syncPeriodMs / 1000}`,
        '--publish-status-address=192.0.2.1',
      ],
      { POD_NAME: name },
    ),
  );
}

/** The controllers reach the API through a proxy that can be told to misbehave. */
function writeProxiedConfig(): string {
  const config = parseYaml(readFileSync(kubeconfig(), 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[];
  };
  const [{ cluster }] = config.clusters as [(typeof config.clusters)[0]];
  const ca = Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString();
  apiProxy = new ChaosProxy(cluster.server, ca);
  return ca;
}

beforeAll(async () => {
  // In memory where that is possible: a slow disk would turn the storm into a breeze.
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  home = mkdtempSync(join(place, 'waygate-chaos-'));
  [apiPort, adminPort, proxyPort] = [await ownPort(), await ownPort(), await ownPort()];
  for (const name of ['blue', 'green']) {
    const server = createServer((_, reply) => reply.end(name));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    backends.push(server);
    ports.push((server.address() as AddressInfo).port);
  }
  await Promise.all([startApi(), startGateway()]);
  writeProxiedConfig();
  await apiProxy.listen();
  const config = parseYaml(readFileSync(kubeconfig(), 'utf8')) as {
    clusters: { cluster: Record<string, unknown> }[];
  };
  config.clusters[0]!.cluster = { server: apiProxy.url };
  writeFileSync(join(home, 'through-proxy'), printYaml(config), { mode: 0o600 });
  adminProxy = new ChaosProxy(`http://127.0.0.1:${adminPort}`);
  await adminProxy.listen();
  client = new KubeClient(await loadConfig({ kubeconfig: kubeconfig() }), {
    qps: 100_000,
    burst: 100_000,
  });
  for (let shop = 0; shop < shops; shop += 1) await open(shop);
  startController('first');
  startController('second');
  await converged();
}, 90_000);

afterAll(async () => {
  agent.destroy();
  await Promise.all([...controllers.values()].map((one) => one.stop()));
  await client?.close();
  await gateway?.stop();
  await api?.stop();
  await apiProxy?.close();
  await adminProxy?.close();
  for (const server of backends) server.close();
  rmSync(home, { recursive: true, force: true });
});

const collections = {
  services: '/api/v1/namespaces/default/services',
  slices: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
  ingresses: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
};

function sliceOf(shop: number, backend: number): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `shop-${shop}`, labels: { 'kubernetes.io/service-name': `shop-${shop}` } },
    addressType: 'IPv4',
    ports: [{ name: '', port: ports[backend] }],
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
  };
}

async function open(shop: number): Promise<void> {
  const name = `shop-${shop}`;
  await client.json({
    method: 'POST',
    path: collections.services,
    body: { metadata: { name }, spec: { ports: [{ port: 80 }] } },
  });
  await client.json({ method: 'POST', path: collections.slices, body: sliceOf(shop, 0) });
  const backend = { service: { name, port: { number: 80 } } };
  const paths = [{ path: '/', pathType: 'Prefix', backend }];
  await client.json({
    method: 'POST',
    path: collections.ingresses,
    body: {
      metadata: { name },
      spec: { ingressClassName: 'kong', rules: [{ host: `${name}.test`, http: { paths } }] },
    },
  });
  history[shop] = [{ at: Date.now(), backend: 0 }];
}

async function move(shop: number, backend: number): Promise<void> {
  const path = `${collections.slices}/shop-${shop}`;
  await client.json({ method: 'PUT', path, body: sliceOf(shop, backend) });
  history[shop]!.push({ at: Date.now(), backend });
}

const backendOf = (shop: number): number => history[shop]!.at(-1)!.backend;

function ask(shop: number): Promise<string> {
  return new Promise((resolve) => {
    const options = { headers: { host: `shop-${shop}.test` }, agent };
    const call = request(`http://127.0.0.1:${proxyPort}/`, options, (reply) => {
      let body = '';
      reply.on('data', (chunk) => (body += chunk));
      reply.on('end', () => resolve(reply.statusCode === 200 ? body : String(reply.statusCode)));
      reply.on('error', () => resolve('cut'));
    });
    call.on('error', () => resolve('unreachable'));
    call.end();
  });
}

/** Every shop is answered by the backend that the cluster says. */
async function converged(): Promise<void> {
  await until(
    'traffic as the manifests say',
    async () => {
      for (let shop = 0; shop < shops; shop += 1)
        if ((await ask(shop)) !== ['blue', 'green'][backendOf(shop)]) return false;
      return true;
    },
    { timeout: patience },
  );
}

/** Moves some shops to their other backend, and waits until traffic follows. */
async function change(...which: number[]): Promise<void> {
  for (const shop of which) await move(shop, 1 - backendOf(shop));
  await converged();
}

async function entities(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const collection of ['services', 'routes', 'upstreams']) {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/${collection}?size=1000`);
    const { data } = (await answer.json()) as { data: { id: string }[] };
    counts[collection] = data.length;
    if (collection !== 'upstreams') continue;
    const targets = await Promise.all(
      data.map(async ({ id }) => {
        const list = await fetch(`http://127.0.0.1:${adminPort}/upstreams/${id}/targets`);
        return ((await list.json()) as { data?: unknown[] }).data?.length ?? 0;
      }),
    );
    counts.targets = targets.reduce((sum, count) => sum + count, 0);
  }
  return counts;
}

async function leaderName(): Promise<string> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/5b374a9e.konghq.com';
  const { spec } = await client.json<{ spec: { holderIdentity?: string } }>({
    method: 'GET',
    path,
  });
  return spec.holderIdentity?.split('_')[0] ?? '';
}

/** Asks all the time, and says who was answered by a target that had left long before. */
function watchTraffic(): { stop(): Promise<{ asked: number; late: string[] }> } {
  let isOn = true;
  let asked = 0;
  const late: string[] = [];
  const check = (shop: number, answer: string, askedAt: number) => {
    const backend = ['blue', 'green'].indexOf(answer);
    if (backend < 0) return;
    const past = history[shop]!;
    // When the backend that answered was last told to leave, if it is not the present one.
    const left = past.findLast(
      (one, index) => one.backend !== backend && past[index - 1]?.backend === backend,
    );
    const isPresent = past.at(-1)!.backend === backend;
    if (isPresent || left === undefined || askedAt - left.at <= syncPeriodMs) return;
    late.push(`shop-${shop}: ${answer}, which left ${askedAt - left.at} ms before`);
  };
  const worker = async (offset: number) => {
    for (let shop = offset; isOn; shop = (shop + 1) % shops) {
      const askedAt = Date.now();
      check(shop, await ask(shop), askedAt);
      asked += 1;
    }
  };
  const workers = Promise.all([worker(0), worker(shops / 2)]);
  return {
    async stop() {
      isOn = false;
      await workers;
      return { asked, late };
    },
  };
}

describe('traffic becomes what the manifests say', () => {
  test('when the API server is killed and comes back', async () => {
    const traffic = watchTraffic();
    await api.stop('SIGKILL');
    // The last word counts while nobody can say another one.
    for (let shop = 0; shop < shops; shop += 1)
      expect(await ask(shop)).toBe(['blue', 'green'][backendOf(shop)]);
    await startApi();
    await change(0, 1);
    expect((await traffic.stop()).late).toEqual([]);
  });

  test('when watches are cut again and again', async () => {
    for (let round = 0; round < 5; round += 1) {
      expect(apiProxy.cut()).toBeGreaterThan(0);
      await change(round, round + 5);
    }
  });

  test('when the API server and the Admin API send clients away for a while', async () => {
    apiProxy.cut();
    apiProxy.refuse(40);
    adminProxy.refuse(5);
    await change(2, 3);
    expect(adminProxy.refusalsLeft).toBe(0);
  });

  test('when the gateway is down while things change', async () => {
    await gateway.stop('SIGKILL');
    for (const shop of [4, 5, 6]) await move(shop, 1 - backendOf(shop));
    await startGateway();
    await converged();
  });

  test('when the gateway comes back with nothing', async () => {
    await gateway.stop('SIGKILL');
    rmSync(join(home, 'kong'), { recursive: true, force: true });
    await startGateway();
    await converged();
    await change(7, 8);
  });

  const leastChanges = 300;

  test('under a storm of endpoint changes, and nothing goes to a target that left long ago', async () => {
    const traffic = watchTraffic();
    const startedAt = Date.now();
    const endAt = startedAt + 3_000;
    let changes = 0;
    // A thousand a second, if the machine can: each shop is moved by somebody of its own. One that
    // cannot has its storm too, which lasts longer.
    const storm = async (shop: number) => {
      while (Date.now() < endAt || changes < leastChanges) {
        await move(shop, 1 - backendOf(shop));
        changes += 1;
        const aheadMs = changes - (Date.now() - startedAt);
        if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
      }
    };
    await Promise.all(Array.from({ length: shops }, (_, shop) => storm(shop)));
    await converged();
    const { asked, late } = await traffic.stop();
    expect(late).toEqual([]);
    expect(asked).toBeGreaterThan(100);
    expect(await entities()).toEqual({
      services: shops,
      routes: shops,
      upstreams: shops,
      targets: shops,
    });
  });

  test('when the leader is killed: the other one takes over', async () => {
    const leader = await leaderName();
    const other = leader === 'first' ? 'second' : 'first';
    await controllers.get(leader)!.stop('SIGKILL');
    await change(9, 10, 11);
    expect(await leaderName()).toBe(other);
    startController(leader);
  });

  test('and nothing is left behind when everything is deleted', async () => {
    for (let shop = 0; shop < shops; shop += 1)
      for (const path of Object.values(collections))
        await client.json({ method: 'DELETE', path: `${path}/shop-${shop}` });
    await until(
      'no entity is left',
      async () => Object.values(await entities()).every((count) => count === 0),
      { timeout: patience },
    );
  });
});

// The server of the benchmark, in a process of its own: its memory and time are what is measured.
import { Dashboard, DashboardCore, type SignIn, seenObject } from '@waygate/dashboard';
import type { KubeClient } from '@waygate/kube';

/** What the parent asks for. */
export type Order =
  | { readonly kind: 'change'; readonly count: number; readonly pauseMs: number }
  | { readonly kind: 'measure' };

export interface Measured {
  readonly bytes: number;
  readonly cpuMs: number;
  readonly atMs: number;
}

const routeCount = Number(process.argv[2]);

const client = {
  json: async () => ({ status: { allowed: true } }),
  discovery: { surface: async () => ({ resources: [] }) },
} as unknown as KubeClient;
const core = new DashboardCore({
  client,
  kinds: [],
  objectOf: ([tag = '']) => {
    const [namespace = '', name = ''] = tag.split('/');
    return { group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', namespace, name };
  },
});
const person = { name: 'bench', key: 'bench', client };
const door: SignIn = {
  choices: {},
  find: async () => ({ person, csrfToken: '' }),
  answer: async () => false,
};
const dashboard = new Dashboard({ core, signIns: [door], cluster: 'bench', version: '0' });

/** A route with its service, upstream and target, and three objects: an Ingress, a Service, a Deployment. */
function fill(): void {
  const entries: { id: string; v: string }[] = [];
  for (let index = 0; index < routeCount; index += 1) {
    const namespace = `team-${index % 100}`;
    const name = `app-${index}`;
    const tags = [`${namespace}/${name}`];
    const host = `${name}.${namespace}.80.svc`;
    core.view.changeEntity('services', `s${index}`, {
      id: `s${index}`,
      name: host,
      host,
      port: 80,
      tags,
    });
    core.view.changeEntity('upstreams', `u${index}`, { id: `u${index}`, name: host });
    const target = `10.0.${index >> 8}.${index & 255}:8080`;
    core.view.changeEntity('targets', `t${index}`, {
      id: `t${index}`,
      target,
      upstream: { id: `u${index}` },
    });
    core.view.changeEntity('routes', `r${index}`, {
      id: `r${index}`,
      name: `${namespace}.${name}.web..80`,
      hosts: [`${name}.example.com`],
      paths: ['/'],
      protocols: ['http', 'https'],
      service: { id: `s${index}` },
      tags,
    });
    for (const kind of ['networking.k8s.io_Ingress', '_Service', 'apps_Deployment'])
      entries.push({ id: `${namespace}_${name}_${kind}`, v: 'v1' });
  }
  const seen = seenObject({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'apps', namespace: 'flux-system' },
    spec: { sourceRef: { kind: 'GitRepository', name: 'apps' } },
    status: { lastAppliedRevision: `main@sha1:${'a'.repeat(40)}`, inventory: { entries } },
  } as Parameters<typeof seenObject>[0]);
  core.view.changeObject(seen.key, seen);
  core.settleAll();
}

let turn = 0;
async function change(count: number, pauseMs: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    // A target fails, and comes back: both are changes.
    const index = Math.floor(turn / 2) % routeCount;
    const health = turn % 2 === 0 ? 'degraded' : 'healthy';
    turn += 1;
    const host = `app-${index}.team-${index % 100}.80.svc`;
    const target = `10.0.${index >> 8}.${index & 255}:8080`;
    core.view.changeHealth(host, new Map([[target, health]]));
    core.settleAll();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function measured(): Measured {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { bytes: heapUsed + external, cpuMs: (user + system) / 1_000, atMs: performance.now() };
}

fill();
const { port } = await dashboard.listen();
process.on('message', (order: Order) => {
  if (order.kind === 'measure') process.send?.(measured());
  else void change(order.count, order.pauseMs).then(() => process.send?.('done'));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });

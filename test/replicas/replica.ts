import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, start, waygate } from '../real/processes.ts';
import type { Ledger } from './ledger.ts';
import { RecordingProxy } from './recording-proxy.ts';

/** How long a Lease holds here: the shortest that a busy machine keeps. */
export const leaseMs = 3_000;

export type ReplicaKind = 'gitops' | 'ingress';

export const leases: Readonly<Record<ReplicaKind, string>> = {
  gitops: 'waygate-gitops',
  ingress: '5b374a9e.konghq.com',
};

/** Where a replica finds its world. */
export interface Surroundings {
  readonly api: { readonly url: string; readonly adminToken: string };
  readonly adminUrl: string;
  readonly home: string;
  readonly ledger: Ledger;
}

/** One process of `waygate controller`, with proxies of its own to the API and to the gateway. */
export class Replica implements AsyncDisposable {
  readonly kind: ReplicaKind;
  readonly name: string;
  readonly api: RecordingProxy;
  readonly #gateway: RecordingProxy;
  readonly #running: Running;

  static async start(kind: ReplicaKind, name: string, around: Surroundings): Promise<Replica> {
    const { api, adminUrl, ledger } = around;
    const lease = leases[kind];
    return new Replica(
      kind,
      name,
      await RecordingProxy.start(name, api.url, ledger.api(lease)),
      await RecordingProxy.start(name, adminUrl, ledger.gateway(lease)),
      around,
    );
  }

  private constructor(
    kind: ReplicaKind,
    name: string,
    api: RecordingProxy,
    gateway: RecordingProxy,
    { api: { adminToken }, home }: Surroundings,
  ) {
    this.kind = kind;
    this.name = name;
    this.api = api;
    this.#gateway = gateway;
    const own = join(home, name);
    mkdirSync(own);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server: api.url } }],
      users: [{ name: 'test', user: { token: adminToken } }],
      contexts: [
        { name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } },
      ],
    };
    writeFileSync(join(own, 'kubeconfig'), JSON.stringify(config), { mode: 0o600 });
    const args = [
      ...[waygate, 'controller', `--kubeconfig=${join(own, 'kubeconfig')}`],
      `--leader-election-lease-duration=${leaseMs}ms`,
      `--leader-election-renew-deadline=${leaseMs - 600}ms`,
      '--leader-election-retry-period=300ms',
      ...(kind === 'gitops' ? gitOpsArguments(own) : ingressArguments(gateway.url)),
    ];
    this.#running = start(process.execPath, args, { POD_NAME: name });
  }

  /** The proxies that the replica writes through: to end it at a write, its kind decides at which. */
  get proxies(): readonly RecordingProxy[] {
    return this.kind === 'gitops' ? [this.api] : [this.api, this.#gateway];
  }

  /** Its caches are filled, and it has asked who leads. */
  get isCandidate(): boolean {
    return this.api.hasReadLease;
  }

  /** It has to ask again before it counts as one. */
  forgetCandidacy(): void {
    this.api.hasReadLease = false;
  }

  output(): string {
    return `${this.name}:\n${this.#running.output()}`;
  }

  signal(signal: NodeJS.Signals): void {
    this.#running.process.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.stop('SIGKILL');
    await this.api[Symbol.asyncDispose]();
    await this.#gateway[Symbol.asyncDispose]();
  }
}

function gitOpsArguments(own: string): string[] {
  return [
    '--controllers=source,kustomize',
    '--enable-leader-election',
    `--storage-path=${join(own, 'artifacts')}`,
    '--storage-addr=127.0.0.1:0',
    '--metrics-addr=off',
    '--health-addr=off',
    '--requeue-dependency=200ms',
    '--min-retry-delay=100ms',
  ];
}

function ingressArguments(adminUrl: string): string[] {
  return [
    '--controllers=ingress',
    '--election-namespace=default',
    `--kong-admin-url=${adminUrl}`,
    '--health-probe-bind-address=off',
    '--metrics-bind-address=off',
    '--proxy-sync-seconds=0.1',
    '--publish-status-address=192.0.2.1',
  ];
}

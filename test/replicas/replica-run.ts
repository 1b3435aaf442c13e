import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { customResourceDefinitions, gitRepositoryKind, kustomizationKind } from '@waygate/gitops';
import { customResourceDefinitions as kongDefinitions } from '@waygate/ingress';
import { KubeClient, staticToken } from '@waygate/kube';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import { vi } from 'vitest';
import { TestRepository } from '../../packages/gitops/src/testing/git-repository.ts';
import { seededRandom } from '../gitops/crash/crash-run.ts';
import { GitHttpsServer } from '../gitops/git-https-server.ts';
import { Blow } from './blow.ts';
import { ObjectHistory } from './history.ts';
import { Ledger } from './ledger.ts';
import type { Moment } from './recording-proxy.ts';
import { leaseMs, leases, Replica, type ReplicaKind, type Surroundings } from './replica.ts';
import { Wanted } from './wanted.ts';

const namespace = 'default';
const patience = { timeout: leaseMs + 40_000, interval: 50 };

/** What one round came to. */
export interface Round {
  /** What happened to whom, for whoever has to find out why. */
  readonly story: string;
  /** From the blow, or from the change when that was later, to when everything was as wanted. */
  readonly lateMs: number;
}

/** A cluster with two replicas of each controller, of which one after the other is ended under changes. */
export class ReplicaRun implements AsyncDisposable {
  readonly ledger = new Ledger();
  readonly history = new ObjectHistory();
  readonly wanted: Wanted;
  readonly #random: () => number;
  readonly #server: TestServer;
  readonly #gateway: Gateway;
  readonly #repositories: GitHttpsServer;
  readonly #repository = new TestRepository();
  readonly #home = mkdtempSync(join(tmpdir(), 'waygate-replicas-'));
  readonly #client: KubeClient;
  readonly #surroundings: Surroundings;
  readonly #adminUrl: string;
  #replicas: Replica[] = [];
  #started = 0;
  #asked = 0;
  /** How often GitOps got another leader. */
  #takenOver = 0;

  static async start(seed: number): Promise<ReplicaRun> {
    const server = await startTestServer();
    const gateway = new Gateway({ mode: 'database' });
    const { admin } = await gateway.start();
    const repositories = await GitHttpsServer.start({ root: '/', username: '-', password: '-' });
    repositories.isOpen = true;
    const adminUrl = `http://127.0.0.1:${admin?.port}`;
    const run = new ReplicaRun(seed, server, gateway, adminUrl, repositories);
    try {
      await run.#prepare();
    } catch (error) {
      const output = run.output();
      await run[Symbol.asyncDispose]();
      throw new Error(`the replicas did not come up\n${output}`, { cause: error });
    }
    return run;
  }

  private constructor(
    seed: number,
    server: TestServer,
    gateway: Gateway,
    adminUrl: string,
    repositories: GitHttpsServer,
  ) {
    this.#random = seededRandom(seed);
    this.wanted = new Wanted(this.#random);
    this.#server = server;
    this.#gateway = gateway;
    this.#adminUrl = adminUrl;
    this.#repositories = repositories;
    const credentials = staticToken(server.adminToken);
    this.#client = new KubeClient({ server: server.url, namespace, credentials });
    this.#surroundings = { api: server, adminUrl, home: this.#home, ledger: this.ledger };
  }

  async #prepare(): Promise<void> {
    const definitions = this.#client.resource(
      kinds.CustomResourceDefinition as unknown as Kind<KubeObject>,
    );
    for (const definition of [...customResourceDefinitions(), ...kongDefinitions()])
      await definitions.create(definition as KubeObject);
    await this.#client.resource(kinds.Service).create({
      metadata: { name: 'shop', namespace },
      spec: { ports: [{ port: 80 }] },
    });
    this.history.follow(this.#client, kinds.ConfigMap);
    this.history.follow(this.#client, kinds.Ingress);
    await this.#change();
    const { url } = this.#repositories;
    await this.#client.resource(gitRepositoryKind).create({
      metadata: { name: 'src', namespace },
      spec: {
        url: `${url}/${relative('/', this.#repository.directory)}/.git`,
        interval: '1h',
        ref: { branch: 'main' },
      },
    });
    await this.#client.resource(kustomizationKind).create({
      metadata: { name: 'all', namespace },
      spec: {
        interval: '1h',
        retryInterval: '100ms',
        prune: true,
        path: './app',
        sourceRef: { kind: 'GitRepository', name: 'src' },
      },
    });
    for (const kind of ['gitops', 'ingress', 'gitops', 'ingress'] as const) await this.#add(kind);
    await this.#converged();
  }

  async #add(kind: ReplicaKind): Promise<void> {
    this.#started += 1;
    const name = `${kind}-${this.#started}`;
    this.#replicas.push(await Replica.start(kind, name, this.#surroundings));
  }

  /** One commit, and one change that somebody makes directly. */
  async #change(): Promise<void> {
    const { files, direct } = this.wanted.next();
    this.#repository.commit(files, `commit ${this.wanted.count}`);
    for (const [name, path] of direct) await this.#writeShop(name, path);
  }

  async #writeShop(name: string, path: string | undefined): Promise<void> {
    const ingresses = this.#client.resource(kinds.Ingress);
    if (path === undefined) return void (await ingresses.delete(name, { namespace }));
    await ingresses.apply(
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name, namespace },
        spec: Wanted.ingressSpec(name, path),
      },
      { fieldManager: 'somebody', force: true },
    );
  }

  async #ask(): Promise<void> {
    this.#asked += 1;
    const annotations = { 'reconcile.fluxcd.io/requestedAt': `${this.#asked}` };
    await this.#client
      .resource(gitRepositoryKind)
      .patch('src', { metadata: { annotations } }, { namespace });
  }

  /** A change, a blow in the middle of it, and the wait until all is as wanted. */
  async round(): Promise<Round> {
    const kind: ReplicaKind = this.#random() < 0.5 ? 'gitops' : 'ingress';
    const [leader, standby] = await this.#pairOf(kind);
    const isLeader = this.#random() < 0.75;
    const victim = isLeader ? leader : standby;
    if (isLeader && kind === 'gitops') this.#takenOver += 1;
    const way = this.#wayToEnd();
    const blow = new Blow(victim, way);
    const isAtWork = isLeader && this.#random() < 0.85;
    if (isAtWork) blow.await(1 + Math.floor(this.#random() * 6), this.#momentOf(way));
    const told = `${victim.name}${isLeader ? ', leading' : ''}: ${way}`;
    await this.#change();
    await this.#ask();
    const changedMs = performance.now();
    if (isAtWork) await Promise.race([blow.struck, this.#converged()]);
    blow.strike('idle');
    const { story, atMs } = await blow.struck;
    try {
      if (way !== 'SIGSTOP') await this.#replace(victim);
      await this.#converged();
      const lateMs = performance.now() - Math.max(changedMs, atMs);
      if (way === 'SIGSTOP') await this.#wake(victim, isLeader);
      return { story: `${told}, ${story}`, lateMs };
    } catch (error) {
      throw new Error(`${told}, ${story}\n${await this.#state()}`, { cause: error });
    }
  }

  /** What the API has of those who act and of what they act on. */
  async #state(): Promise<string> {
    const found = await Promise.all([
      this.#client.resource(kinds.Lease).list({ namespace }),
      this.#client.resource(gitRepositoryKind).list({ namespace }),
      this.#client.resource(kustomizationKind).list({ namespace }),
    ]);
    return found
      .flatMap<KubeObject>(({ items }) => items)
      .map(({ metadata: { managedFields: _, ...metadata }, ...rest }) =>
        JSON.stringify({ ...rest, metadata }),
      )
      .join('\n');
  }

  /** Who stands still finds, when it goes on, the answer that came meanwhile, and would go on. */
  #momentOf(way: NodeJS.Signals): Moment {
    const isBefore = this.#random() < 0.5;
    if (way === 'SIGSTOP') return 'answered';
    return isBefore ? 'before' : 'after';
  }

  #wayToEnd(): NodeJS.Signals {
    const draw = this.#random();
    const forced = process.env.WAYGATE_REPLICA_WAY;
    if (forced !== undefined) return forced as NodeJS.Signals;
    if (draw < 0.7) return 'SIGKILL';
    return draw < 0.85 ? 'SIGTERM' : 'SIGSTOP';
  }

  /** The one that leads and the one that would: both are there before anything is done to them. */
  #pairOf(kind: ReplicaKind): Promise<readonly [Replica, Replica]> {
    return vi.waitFor(() => {
      const holder = this.ledger.holderOf(leases[kind]).split('_')[0];
      const pair = this.#replicas.filter((one) => one.kind === kind);
      const leader = pair.find(({ name }) => name === holder);
      const standby = pair.find(({ name }) => name !== holder);
      if (leader !== undefined && standby?.isCandidate) return [leader, standby] as const;
      throw new Error(`${kind} is led by "${holder}" of ${pair.map(({ name }) => name).join()}`);
    }, patience);
  }

  async #replace(victim: Replica): Promise<void> {
    await victim[Symbol.asyncDispose]();
    this.#replicas = this.#replicas.filter((one) => one !== victim);
    await this.#add(victim.kind);
  }

  /** A process that stood still goes on where it was, when another one leads already. */
  async #wake(victim: Replica, wasLeader: boolean): Promise<void> {
    if (wasLeader)
      await vi.waitFor(() => {
        const holder = this.ledger.holderOf(leases[victim.kind]).split('_')[0];
        if (holder === victim.name) throw new Error(`${holder} stands still and leads`);
      }, patience);
    victim.forgetCandidacy();
    victim.signal('SIGCONT');
    await this.#pairOf(victim.kind);
    await this.#converged();
  }

  /** Everything is as wanted: objects, their statuses, and the gateway. */
  async #converged(): Promise<void> {
    const head = this.#repository.git('rev-parse', 'HEAD');
    await vi.waitFor(async () => {
      const { status } = await this.#client.resource(kustomizationKind).get('all', { namespace });
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True' || status?.lastAppliedRevision?.endsWith(head) !== true)
        throw new Error(`the Kustomization: ${ready?.message}`);
      same('ConfigMaps', await this.#maps(), this.wanted.maps);
      same('Ingresses', await this.#ingresses(), this.wanted.paths);
      same('routes', await this.#routes(), this.wanted.paths);
    }, patience);
  }

  async #maps(): Promise<Map<string, string>> {
    const { items } = await this.#client.resource(kinds.ConfigMap).list({ namespace });
    return new Map(
      items
        .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
        .map(({ metadata, data }) => [metadata.name ?? '', data?.value ?? '']),
    );
  }

  /** Ingresses that have an address: the others are not done. */
  async #ingresses(): Promise<Map<string, string>> {
    const { items } = await this.#client.resource(kinds.Ingress).list({ namespace });
    return new Map(
      items.map(({ metadata, spec, status }) => {
        const [address] = status?.loadBalancer?.ingress ?? [];
        const path = spec?.rules?.[0]?.http?.paths?.[0]?.path;
        return [metadata.name ?? '', address?.ip === '192.0.2.1' ? (path ?? '') : 'no address'];
      }),
    );
  }

  async #routes(): Promise<Map<string, string>> {
    const response = await fetch(`${this.#adminUrl}/routes?size=1000`);
    const { data } = (await response.json()) as { data: { hosts: string[]; paths: string[] }[] };
    return new Map(
      data.map(({ hosts, paths }) => [
        hosts[0]?.replace('.test', '') ?? '',
        paths.find((one) => one.endsWith('/'))?.replace(/\/$/u, '') ?? paths.join(),
      ]),
    );
  }

  /**
   * How often the repository's objects were asked for, and how often that would be had each commit been
   * fetched once and once more by whoever took over in the middle of it.
   */
  get fetches(): { readonly asked: number; readonly most: number } {
    return {
      asked: this.#repositories.fetches,
      most: this.wanted.count + this.#takenOver,
    };
  }

  /** What the processes said, for whoever has to find out why. */
  output(): string {
    return this.#replicas.map((one) => one.output()).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas) await replica[Symbol.asyncDispose]();
    await this.history[Symbol.asyncDispose]();
    await this.#client.close();
    await this.#gateway.stop();
    await this.#repositories[Symbol.asyncDispose]();
    await this.#server.stop();
    this.#repository.remove();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function same(
  what: string,
  found: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): void {
  const text = (map: ReadonlyMap<string, string>) =>
    [...map]
      .map((pair) => pair.join('='))
      .sort()
      .join(' ');
  if (text(found) !== text(wanted))
    throw new Error(`${what} are ${text(found)} and should be ${text(wanted)}`);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { customResourceDefinitions } from '@waygate/gitops';
import { vi } from 'vitest';
import { TestRepository } from '../../packages/gitops/src/testing/git-repository.ts';
import { type Running, run, start, waygate } from '../real/processes.ts';
import { GitHttpsServer } from './git-https-server.ts';

const fluxControllers = ['source-controller', 'kustomize-controller'] as const;
const patience = { timeout: 60_000, interval: 100 };
const merge = { 'Content-Type': 'application/merge-patch+json' };

type Who = 'flux' | 'waygate';

interface Deployment {
  readonly spec: { readonly replicas: number };
  readonly status?: { readonly replicas?: number };
}

function deployment(name: string, labels: object, replicas: number) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'flux-system', labels },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: 'manager', image: `registry.example/fluxcd/${name}:v1.9.0` }],
        },
      },
    },
  };
}

/**
 * An API with the Deployments of Flux and of Waygate, a repository that Flux is made from, and a stand-in for the
 * nodes. Flux is played by the same controllers: what is looked at is who acts, and when.
 */
export class TakeOver implements AsyncDisposable {
  readonly #server: TestServer;
  readonly #repositories: GitHttpsServer;
  readonly #repository = new TestRepository();
  readonly #home = mkdtempSync(join(tmpdir(), 'waygate-take-over-'));
  readonly #running = new Map<Who, Running>();
  readonly #stop = new AbortController();
  #nodes: Promise<void> = Promise.resolve();
  #output = '';
  #started = 0;
  #asked = 0;

  static async start(): Promise<TakeOver> {
    const repositories = await GitHttpsServer.start({ root: '/', username: '-', password: '-' });
    repositories.isOpen = true;
    const world = new TakeOver(await startTestServer(), repositories);
    await world.#prepare();
    return world;
  }

  private constructor(server: TestServer, repositories: GitHttpsServer) {
    this.#server = server;
    this.#repositories = repositories;
    writeFileSync(this.#kubeconfig, server.kubeconfig, { mode: 0o600 });
  }

  get #kubeconfig(): string {
    return join(this.#home, 'kubeconfig');
  }

  async #prepare(): Promise<void> {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const definition of customResourceDefinitions()) await this.#create(crds, definition);
    for (const name of ['flux-system', 'waygate-system'])
      await this.#create('/api/v1/namespaces', { metadata: { name } });
    for (const name of fluxControllers)
      await this.#create(this.#deployments('flux-system'), deployment(name, {}, 1));
    const labels = {
      'app.kubernetes.io/name': 'waygate',
      'app.kubernetes.io/component': 'gitops',
    };
    const ours = deployment('waygate-gitops', labels, 1);
    await this.#create(this.#deployments('waygate-system'), {
      ...ours,
      metadata: { ...ours.metadata, namespace: 'waygate-system' },
    });
    await this.commit('1');
    const at = (group: string, plural: string) =>
      `/apis/${group}/v1/namespaces/flux-system/${plural}`;
    await this.#create(at('source.toolkit.fluxcd.io', 'gitrepositories'), {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'flux-system' },
      spec: {
        url: `${this.#repositories.url}/${relative('/', this.#repository.directory)}/.git`,
        interval: '1h',
        ref: { branch: 'main' },
      },
    });
    await this.#create(at('kustomize.toolkit.fluxcd.io', 'kustomizations'), {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'flux-system' },
      spec: {
        interval: '1h',
        retryInterval: '200ms',
        prune: true,
        path: './cluster',
        sourceRef: { kind: 'GitRepository', name: 'flux-system' },
      },
    });
    this.#nodes = this.#keepNodes();
  }

  /** What the repository has in it: Flux itself, and an application. */
  async commit(version: string): Promise<void> {
    const app = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'app', namespace: 'flux-system' },
      data: { version },
    };
    const files = fluxControllers.map((name) => [
      `cluster/${name}.yaml`,
      JSON.stringify(deployment(name, {}, 1)),
    ]);
    this.#repository.commit(
      Object.fromEntries([...files, ['cluster/app.yaml', JSON.stringify(app)]]),
      `version ${version}`,
    );
    if (version !== '1') await this.#ask('source', 'gitrepositories');
  }

  /** The commit is applied, by this one. */
  async lives(version: string, who: Who): Promise<void> {
    await vi.waitFor(async () => {
      const { data } = (await this.#read('/api/v1/namespaces/flux-system/configmaps/app')) as {
        data?: { version?: string };
      };
      if (data?.version !== version) throw new Error(`version ${data?.version} lives`);
      if (!this.#running.has(who)) throw new Error(`${who} does not run`);
    }, patience);
    await this.#isReady();
  }

  async isReconciledAgain(): Promise<void> {
    const asked = await this.#ask('kustomize', 'kustomizations');
    await vi.waitFor(async () => {
      const { status } = await this.#kustomization();
      if (status?.lastHandledReconcileAt !== asked) throw new Error(JSON.stringify(status));
    }, patience);
    await this.#isReady();
  }

  async app(): Promise<{ uid: string; resourceVersion: string }> {
    const { metadata } = (await this.#read('/api/v1/namespaces/flux-system/configmaps/app')) as {
      metadata: { uid: string; resourceVersion: string };
    };
    return { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  }

  async replicas(): Promise<Record<string, number>> {
    const found = await Promise.all(
      fluxControllers.map(async (name) => [name, (await this.#deployment(name)).spec.replicas]),
    );
    return Object.fromEntries(found);
  }

  running(): Who[] {
    return [...this.#running.keys()];
  }

  async runs(who: Who): Promise<void> {
    await vi.waitFor(() => {
      if (this.running().join() !== who) throw new Error(`${this.running().join()} run`);
    }, patience);
  }

  async says(who: Who, words: string): Promise<void> {
    await vi.waitFor(() => {
      if (this.#running.get(who)?.output().includes(words) !== true)
        throw new Error(`${who} does not say ${words}`);
    }, patience);
  }

  migrate(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return run(
      process.execPath,
      [waygate, 'migrate', '--from', 'flux', '--kubeconfig', this.#kubeconfig, ...args],
      { timeoutMs: 120_000 },
    );
  }

  output(): string {
    return `${this.#output}${[...this.#running].map(([who, each]) => `${who}:\n${each.output()}`)}`;
  }

  /** Runs each controller while its Deployment wants it, and says how many there are. */
  async #keepNodes(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const flux = await Promise.all(fluxControllers.map((name) => this.#deployment(name)));
      const ours = await this.#deployment('waygate-gitops', 'waygate-system');
      await this.#keep(
        'flux',
        flux.every(({ spec }) => spec.replicas > 0),
      );
      await this.#keep('waygate', ours.spec.replicas > 0);
      for (const [index, name] of fluxControllers.entries())
        await this.#settle('flux-system', name, (flux[index] as Deployment).spec.replicas);
      await this.#settle('waygate-system', 'waygate-gitops', ours.spec.replicas);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #keep(who: Who, isWanted: boolean): Promise<void> {
    const running = this.#running.get(who);
    if (who === 'flux' && (isWanted || running !== undefined)) await this.#holdLeases(isWanted);
    if (isWanted && running === undefined) this.#running.set(who, this.#controller(who));
    if (isWanted || running === undefined) return;
    await running.stop();
    this.#output += `${who}, until it was stopped:\n${running.output()}`;
    this.#running.delete(who);
  }

  #controller(who: Who): Running {
    this.#started += 1;
    return start(process.execPath, [
      ...[waygate, 'controller', `--kubeconfig=${this.#kubeconfig}`],
      '--controllers=source,kustomize',
      `--storage-path=${join(this.#home, `artifacts-${this.#started}`)}`,
      '--storage-addr=127.0.0.1:0',
      ...['--metrics-addr=off', '--health-addr=off'],
      // The Leases of Flux are held by itself.
      ...(who === 'flux' ? ['--act-beside-others'] : []),
    ]);
  }

  async #holdLeases(isHeld: boolean): Promise<void> {
    const path = '/apis/coordination.k8s.io/v1/namespaces/flux-system/leases';
    const spec = {
      holderIdentity: isHeld ? 'flux' : '',
      leaseDurationSeconds: 35,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    for (const controller of fluxControllers) {
      const metadata = { name: `${controller}-leader-election` };
      const url = `${path}/${metadata.name}`;
      const { status } = await this.#server.request('PATCH', url, { spec }, merge);
      if (status === 404) await this.#create(path, { metadata, spec });
    }
  }

  async #settle(namespace: string, name: string, replicas: number): Promise<void> {
    const path = `${this.#deployments(namespace)}/${name}/status`;
    await this.#server.request(
      'PATCH',
      path,
      { status: { observedGeneration: 99, replicas } },
      merge,
    );
  }

  async #ask(group: string, plural: string): Promise<string> {
    this.#asked += 1;
    const asked = `${this.#asked}`;
    const path = `/apis/${group}.toolkit.fluxcd.io/v1/namespaces/flux-system/${plural}/flux-system`;
    const annotations = { 'reconcile.fluxcd.io/requestedAt': asked };
    await this.#server.request('PATCH', path, { metadata: { annotations } }, merge);
    return asked;
  }

  async #isReady(): Promise<void> {
    const head = this.#repository.git('rev-parse', 'HEAD');
    await vi.waitFor(async () => {
      const { status } = await this.#kustomization();
      if (status?.lastAppliedRevision?.endsWith(head) !== true)
        throw new Error(`${status?.lastAppliedRevision} is applied, not ${head}`);
    }, patience);
  }

  async #kustomization() {
    const path = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations';
    return (await this.#read(`${path}/flux-system`)) as {
      status?: { lastAppliedRevision?: string; lastHandledReconcileAt?: string };
    };
  }

  #deployments(namespace: string): string {
    return `/apis/apps/v1/namespaces/${namespace}/deployments`;
  }

  async #deployment(name: string, namespace = 'flux-system'): Promise<Deployment> {
    return (await this.#read(`${this.#deployments(namespace)}/${name}`)) as Deployment;
  }

  async #read(path: string): Promise<unknown> {
    return (await this.#server.request('GET', path)).body;
  }

  async #create(path: string, object: object): Promise<void> {
    const { status, body } = await this.#server.request('POST', path, object);
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#nodes;
    for (const running of this.#running.values()) await running.stop('SIGKILL');
    await this.#server.stop();
    await this.#repositories[Symbol.asyncDispose]();
    this.#repository.remove();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BearerToken,
  Dashboard,
  DashboardCore,
  People,
  Sessions,
  type ShownObject,
} from '@waygate/dashboard';
import { objectFromTags } from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { KubeClient, loadConfig } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { type Kind, kinds } from '@waygate/schema';
import { World } from '../hostile/world.ts';
import { waygate } from '../real/processes.ts';

/** An Ingress for a path, in the namespace of somebody. */
export function ingress(name: string, namespace: string): string {
  const path = `{path: /${name}, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}`;
  return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${name}, namespace: ${namespace}}
spec: {ingressClassName: kong, rules: [{http: {paths: [${path}]}}]}
`;
}

/** A `waygate up` that follows commits, and beside it a dashboard of the same cluster that people sign in to. */
export class RealDashboard {
  readonly home = mkdtempSync(join(tmpdir(), 'waygate-real-'));
  readonly project = join(this.home, 'project');
  world!: World;
  /** Opens once, for who sits at the machine. */
  url = '';
  /** Where tenants sign in. */
  tenantUrl = '';
  readonly #stop = new AbortController();
  #starting: Promise<void> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();

  /** Starts it in the background; `started` tells how that went. */
  begin(): void {
    this.#starting = this.#start();
    // Told by `started`; without one it is nobody's.
    this.#starting.catch(() => {});
  }

  async started(): Promise<void> {
    await this.#starting;
  }

  async #start(): Promise<void> {
    mkdirSync(this.project);
    this.write('kustomization.yaml', 'resources: [all.yaml]\n');
    this.write(
      'all.yaml',
      ['one', 'two']
        .map((name) => `${namespaceOf(name)}---\n${ingress(`of-${name}`, name)}`)
        .join('---\n'),
    );
    this.git('init', '-q', '-b', 'main');
    this.commit('Two tenants');
    this.world = await World.start([this.project, '--data-dir', join(this.home, 'state')]);
    this.url = /Dashboard\s+(\S+)/.exec(this.world.stack.output())![1]!;
    await this.#serveTenants();
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.project, file), text);
  }

  commit(message: string): string {
    this.git('add', '-A');
    this.git('commit', '-qm', message);
    return this.git('rev-parse', 'HEAD').trim();
  }

  git(...words: string[]): string {
    const who = ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.com'];
    return execFileSync('git', [...who, ...words], { cwd: this.project, encoding: 'utf8' });
  }

  kubectl(words: readonly string[], input = ''): string {
    const env = { ...process.env, KUBECONFIG: this.world.kubeconfig };
    return execFileSync('kubectl', [...words], { env, input, encoding: 'utf8' });
  }

  /** The program itself, beside the stack: what it printed, and how it ended. */
  waygate(...words: string[]): Promise<{ readonly status: unknown; readonly output: string }> {
    const env = { ...process.env, KUBECONFIG: this.world.kubeconfig };
    return new Promise((resolve) => {
      execFile(process.execPath, [waygate, ...words], { env }, (error, output) =>
        resolve({ status: error === null ? 0 : error.code, output }),
      );
    });
  }

  /** Somebody who may look into one namespace, by a token of theirs. */
  tenantToken(namespace: string): string {
    this.kubectl(['create', 'serviceaccount', 'tenant', '-n', namespace]);
    this.kubectl([
      ...['create', 'rolebinding', 'tenant', '-n', namespace, '--clusterrole=view'],
      `--serviceaccount=${namespace}:tenant`,
    ]);
    return this.kubectl(['create', 'token', 'tenant', '-n', namespace]).trim();
  }

  async stop(): Promise<void> {
    await this.#starting.catch(() => {});
    this.#stop.abort();
    await this.#running;
    await this.world?.stop();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #serveTenants(): Promise<void> {
    const config = await loadConfig({ kubeconfig: this.world.kubeconfig });
    const client = new KubeClient(config);
    const { adminPort, adminToken } = this.world;
    const admin = new AdminClient({
      url: `http://127.0.0.1:${adminPort}`,
      headers: { 'kong-admin-token': adminToken },
    });
    const core = new DashboardCore({
      client,
      kinds: [kinds.Ingress as unknown as Kind],
      gateway: () => admin,
      objectOf,
    });
    const people = new People(config);
    const sessions = new Sessions({ cookie: 'tenants', isSecure: false, clock: systemClock });
    const dashboard = new Dashboard({
      core,
      signIns: [new BearerToken(people, sessions, systemClock)],
      cluster: 'shared',
      version: '0',
    });
    this.tenantUrl = `http://127.0.0.1:${(await dashboard.listen()).port}`;
    const { signal } = this.#stop;
    this.#running = Promise.all([core.run(signal), dashboard.run(signal)]).finally(() => {
      people.close();
      admin.close();
      void client.close();
    });
  }
}

function objectOf(tags: readonly string[]): ShownObject | undefined {
  const object = objectFromTags(tags);
  if (object === undefined) return undefined;
  const { group, version, kind, namespace, name } = object;
  return { group: group === 'core' ? '' : group, version, kind, namespace, name };
}

function namespaceOf(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
}

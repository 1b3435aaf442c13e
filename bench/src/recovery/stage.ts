import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import { Gateway } from '@waygate/gateway';
import { customResourceDefinitions, gitRepositoryKind, kustomizationKind } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { FaultProxy } from './fault-proxy.ts';

const namespace = 'default';

/** How long a change took to be live: a new Ingress in the gateway, a new commit in the cluster. */
export interface Recovery {
  readonly ingressMs: number;
  readonly commitMs: number;
}

/** An API with a way to it that breaks, a gateway, and the controllers in another process. */
export class RecoveryStage implements AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly #server: TestServer;
  readonly #client: KubeClient;
  readonly #gateway = new Gateway({});
  readonly #home = mkdtempSync(join(tmpdir(), 'waygate-recovery-'));
  readonly #repository = join(this.#home, 'repository');
  #admin = '';
  #controllers: ChildProcess | undefined;
  #count = 0;

  static async start(): Promise<RecoveryStage> {
    const stage = new RecoveryStage(await startTestServer());
    await stage.#prepare();
    return stage;
  }

  private constructor(server: TestServer) {
    this.#server = server;
    this.proxy = new FaultProxy(server.url);
    const credentials = staticToken(server.adminToken);
    this.#client = new KubeClient({ server: server.url, namespace, credentials });
  }

  /** Changes both, calls `mend`, and measures from then on. */
  async change(mend: () => Promise<void> | void): Promise<Recovery> {
    const live = await this.#change();
    await mend();
    const startMs = performance.now();
    const since = async (isLive: () => Promise<boolean>) => {
      while (!(await isLive())) await new Promise((resolve) => setTimeout(resolve, 20));
      return performance.now() - startMs;
    };
    const [ingressMs, commitMs] = await Promise.all([since(live.ingress), since(live.commit)]);
    return { ingressMs, commitMs };
  }

  async #prepare(): Promise<void> {
    const { adminToken: TOKEN } = this.#server;
    await this.proxy.listen();
    const { admin } = await this.#gateway.start();
    this.#admin = `http://127.0.0.1:${admin?.port}`;
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const definition of customResourceDefinitions())
      await this.#server.request('POST', definitions, definition);
    mkdirSync(this.#repository);
    this.#git('init', '--quiet', '--initial-branch=main');
    await this.#client.resource(kinds.Service).create({
      metadata: { name: 'web', namespace },
      spec: { ports: [{ port: 80 }] },
    });
    this.#commit();
    await this.#client.resource(gitRepositoryKind).create({
      metadata: { name: 'src', namespace },
      spec: { url: pathToFileURL(this.#repository).href, interval: '1h', ref: { branch: 'main' } },
    });
    await this.#client.resource(kustomizationKind).create({
      metadata: { name: 'app', namespace },
      spec: {
        interval: '1h',
        prune: true,
        targetNamespace: namespace,
        sourceRef: { kind: 'GitRepository', name: 'src' },
      },
    });
    const script = fileURLToPath(new URL('./controllers-process.js', import.meta.url));
    const STORAGE = join(this.#home, 'storage');
    const env = { ...process.env, SERVER: this.proxy.url, TOKEN, STORAGE, ADMIN: this.#admin };
    this.#controllers = fork(script, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await this.change(() => undefined);
  }

  async #change() {
    this.#count += 1;
    const name = `web-${this.#count}`;
    const backend = { service: { name: 'web', port: { number: 80 } } };
    const paths = [{ path: '/', pathType: 'Prefix' as const, backend }];
    await this.#client.resource(kinds.Ingress).create({
      metadata: { name, namespace },
      spec: { ingressClassName: 'kong', rules: [{ host: `${name}.test`, http: { paths } }] },
    });
    const value = this.#commit();
    const annotations = { 'reconcile.fluxcd.io/requestedAt': value };
    await this.#client
      .resource(gitRepositoryKind)
      .patch('src', { metadata: { annotations } }, { namespace });
    return {
      ingress: async () => {
        const answer = await fetch(`${this.#admin}/routes?size=1000`);
        const { data } = (await answer.json()) as { data: { hosts: string[] }[] };
        return data.some(({ hosts }) => hosts.includes(`${name}.test`));
      },
      commit: async () => {
        const { items } = await this.#client.resource(kinds.ConfigMap).list({ namespace });
        return items.some(({ metadata, data }) => metadata.name === 'a' && data?.v === value);
      },
    };
  }

  #commit(): string {
    const value = `v${this.#count}`;
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: ${value}}\n`;
    writeFileSync(join(this.#repository, 'a.yaml'), map);
    this.#git('add', '--all');
    this.#git('commit', '--quiet', '--allow-empty', `--message=${value}`);
    return value;
  }

  #git(...args: string[]): void {
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args], {
      cwd: this.#repository,
      stdio: 'ignore',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#controllers !== undefined && this.#controllers.exitCode === null) {
      const ended = once(this.#controllers, 'exit');
      this.#controllers.kill('SIGKILL');
      await ended;
    }
    await this.proxy.close();
    await this.#client.close();
    await this.#gateway.stop();
    await this.#server.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

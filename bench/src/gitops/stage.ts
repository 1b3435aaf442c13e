import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  customResourceDefinitions,
  gitRepositoryKind,
  type KustomizationSpec,
  kustomizationKind,
} from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';

/** What the process of the controllers has cost so far. */
export interface ControllersCost {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** An embedded API in this process, our controllers in another, and a repository on this machine. */
export class GitOpsStage implements AsyncDisposable {
  readonly client: KubeClient;
  private readonly directory = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
  private readonly repository = join(this.directory, 'repository');
  private readonly server: TestServer;
  private controllers: ChildProcess | undefined;

  private constructor(client: KubeClient, server: TestServer) {
    this.client = client;
    this.server = server;
    mkdirSync(this.repository);
    this.git('init', '--quiet', '--initial-branch=main');
  }

  static async start(): Promise<GitOpsStage> {
    const server = await startTestServer();
    const client = new KubeClient({
      server: server.url,
      namespace: 'default',
      credentials: staticToken(server.adminToken),
    });
    for (const definition of customResourceDefinitions()) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await server.request('POST', path, definition);
    }
    return new GitOpsStage(client, server);
  }

  commit(files: Readonly<Record<string, string>>): string {
    for (const [path, content] of Object.entries(files)) {
      const full = join(this.repository, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message=bench');
    return this.git('rev-parse', 'HEAD');
  }

  async runControllers(): Promise<void> {
    const script = fileURLToPath(new URL('./controllers-process.js', import.meta.url));
    const { url: SERVER, adminToken: TOKEN } = this.server;
    const STORAGE = join(this.directory, 'storage');
    this.controllers = fork(script, { env: { ...process.env, SERVER, TOKEN, STORAGE } });
    await once(this.controllers, 'message');
    await this.client.resource(gitRepositoryKind).create({
      metadata: { name: 'src', namespace: 'default' },
      spec: {
        url: pathToFileURL(this.repository).href,
        interval: '1h',
        ref: { branch: 'main' },
      },
    });
  }

  async createKustomization(name: string, spec: Partial<KustomizationSpec>): Promise<void> {
    await this.client.resource(kustomizationKind).create({
      metadata: { name, namespace: 'default' },
      spec: {
        interval: '1h',
        retryInterval: '5s',
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'src' },
        ...spec,
      },
    });
  }

  async cost(): Promise<ControllersCost> {
    if (this.controllers === undefined) return { cpuSeconds: 0, peakMiB: 0 };
    const answer = once(this.controllers, 'message');
    this.controllers.send('cost');
    const [cost] = (await answer) as [ControllersCost];
    return cost;
  }

  /** Waits until every Kustomization has applied a commit and is ready. */
  async untilApplied(commit: string): Promise<void> {
    for (;;) {
      const { items } = await this.client
        .resource(kustomizationKind)
        .list({ namespace: 'default' });
      const isDone = items.every(
        ({ status }) =>
          status?.lastAppliedRevision?.endsWith(commit) === true &&
          status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true,
      );
      if (isDone) return;
      // Whoever looks too often measures the looking.
      await new Promise((resolve) => setTimeout(resolve, Math.max(50, items.length / 2)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.controllers !== undefined) {
      const ended = once(this.controllers, 'exit');
      this.controllers.disconnect();
      await ended;
    }
    await this.client.close();
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private git(...args: string[]): string {
    const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
    return execFileSync('git', [...identity, ...args], {
      cwd: this.repository,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
      },
    }).trim();
  }
}

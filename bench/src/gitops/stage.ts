import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startTestServer } from '@waygate/apiserver';
import {
  customResourceDefinitions,
  GitOpsControllers,
  gitRepositoryKind,
  type KustomizationSpec,
  kustomizationKind,
} from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';

/** An embedded API, our controllers and a repository, all in this process and on this machine. */
export class GitOpsStage implements AsyncDisposable {
  readonly client: KubeClient;
  private readonly directory = mkdtempSync(join(tmpdir(), 'waygate-bench-'));
  private readonly repository = join(this.directory, 'repository');
  private readonly stopping = new AbortController();
  private readonly stopServer: () => Promise<void>;
  private running: Promise<void> = Promise.resolve();

  private constructor(client: KubeClient, stopServer: () => Promise<void>) {
    this.client = client;
    this.stopServer = stopServer;
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
    for (const definition of customResourceDefinitions) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await server.request('POST', path, definition);
    }
    return new GitOpsStage(client, () => server.stop());
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
    const controllers = new GitOpsControllers({
      client: this.client,
      storageDirectory: join(this.directory, 'storage'),
      allowFileUrls: true,
      watchFileUrls: true,
      defaultNamespace: 'default',
      onError: () => undefined,
    });
    this.running = controllers.run(this.stopping.signal);
    await controllers.ready;
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
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.client.close();
    await this.stopServer();
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

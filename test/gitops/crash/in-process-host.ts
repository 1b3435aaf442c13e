import { pathToFileURL } from 'node:url';
import { GitOpsControllers } from '@waygate/gitops';
import { KubeClient, staticToken } from '@waygate/kube';
import { type ApiAddress, type ControllerHost, crashNamespace } from './controller-host.ts';
import { crashAt } from './crashing-client.ts';

/** Controllers of this process, whose client ends at a request as if the process had been killed. */
export class InProcessHost implements ControllerHost {
  private readonly api: ApiAddress;
  private readonly storageDirectory: string;

  constructor(api: ApiAddress, storageDirectory: string) {
    this.api = api;
    this.storageDirectory = storageDirectory;
  }

  urlOf(directory: string): string {
    return pathToFileURL(directory).href;
  }

  async crash(random: () => number, isDone: () => Promise<void>): Promise<string> {
    const client = this.connect();
    const point = { request: 1 + Math.floor(random() * 20), isSent: random() < 0.5 };
    const crash = crashAt(client, point);
    return this.live(client, ['source', 'kustomize'], () =>
      Promise.race([
        crash,
        isDone().then(
          () => 'idle',
          () => 'still at work',
        ),
      ]),
    );
  }

  run(which: readonly ('source' | 'kustomize')[], isDone: () => Promise<void>): Promise<void> {
    return this.live(this.connect(), which, isDone);
  }

  private connect(): KubeClient {
    const { url, adminToken } = this.api;
    const credentials = staticToken(adminToken);
    return new KubeClient({ server: url, namespace: crashNamespace, credentials });
  }

  private async live<T>(
    client: KubeClient,
    controllers: readonly ('source' | 'kustomize')[],
    work: () => Promise<T>,
  ): Promise<T> {
    const stopping = new AbortController();
    const running = new GitOpsControllers({
      client,
      controllers,
      storageDirectory: this.storageDirectory,
      allowFileUrls: true,
      requeueDependencyMs: 200,
      onError: () => undefined,
    })
      .run(stopping.signal)
      .catch(() => undefined);
    try {
      return await work();
    } finally {
      stopping.abort();
      await running;
      await client.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

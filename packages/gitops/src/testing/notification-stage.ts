import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@waygate/schema';
import { gitRepositoryKind } from '../api/source-objects.ts';
import { GitOpsControllers, type GitOpsControllersOptions } from '../gitops-controllers.ts';
import { startTestCluster, type TestApi, type TestCluster } from './cluster.ts';

/** Controllers that take events and webhooks in, on a cluster of a test's own with a second namespace `other`. */
export class NotificationStage implements AsyncDisposable {
  readonly cluster: TestCluster;
  /** What the controllers said went wrong. */
  readonly errors: string[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'waygate-notifications-'));
  #controllers: GitOpsControllers | undefined;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  static async start(api: TestApi): Promise<NotificationStage> {
    const cluster = await startTestCluster(api);
    await cluster.client.resource(kinds.Namespace).create({ metadata: { name: 'other' } });
    return new NotificationStage(cluster);
  }

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  /** Runs the controllers, until {@link halt}. */
  async run(options: Partial<GitOpsControllersOptions> = {}): Promise<void> {
    this.#stop = new AbortController();
    const controllers = new GitOpsControllers({
      client: this.cluster.client,
      storageDirectory: this.#directory,
      eventsListen: {},
      receiversListen: {},
      onError: (error) => this.errors.push(String(error)),
      ...options,
    });
    this.#controllers = controllers;
    this.#running = controllers.run(this.#stop.signal);
    await this.cluster.until(
      () => controllers.notifications.receiverServer?.port,
      (port) => port !== undefined,
    );
    if (options.eventsUrl === undefined)
      await this.cluster.until(
        () => controllers.notifications.eventServer?.port,
        (port) => port !== undefined,
      );
  }

  async halt(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Where other controllers post their events. */
  get eventsUrl(): string {
    return `http://127.0.0.1:${this.#controllers?.notifications.eventServer?.port}`;
  }

  /** Where Receivers are reached. */
  get receiversUrl(): string {
    return `http://127.0.0.1:${this.#controllers?.notifications.receiverServer?.port}`;
  }

  async createSecret(name: string, data: Record<string, string>): Promise<void> {
    await this.cluster.client.resource(kinds.Secret).create({
      metadata: { name, namespace: 'default' },
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
    });
  }

  /** A source that nobody can fetch: it tells of that. */
  async createSource(): Promise<void> {
    await this.cluster.client.resource(gitRepositoryKind).create({
      metadata: { name: 'src', namespace: 'default' },
      spec: { url: 'https://127.0.0.1:1/nothing.git', interval: '1h' },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.halt();
    await this.cluster[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

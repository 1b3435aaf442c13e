import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CoreEvent, kinds } from '@waygate/schema';
import type { Condition } from '../api/conditions.ts';
import { type Kustomization, kustomizationKind } from '../api/kustomization-object.ts';
import { gitRepositoryKind } from '../api/source-objects.ts';
import { GitOpsControllers, type GitOpsControllersOptions } from '../gitops-controllers.ts';
import { startTestCluster, type TestApi, type TestCluster } from './cluster.ts';
import { TestRepository } from './git-repository.ts';

/** Controllers on a cluster of a test's own, with a repository that they follow. */
export class TestControllers implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly repository = new TestRepository();
  readonly #storageDirectory = mkdtempSync(join(tmpdir(), 'waygate-storage-'));
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  static async start(
    api: TestApi,
    options: Partial<GitOpsControllersOptions> = {},
  ): Promise<TestControllers> {
    const test = new TestControllers(await startTestCluster(api));
    const controllers = new GitOpsControllers({
      client: test.cluster.client,
      storageDirectory: test.#storageDirectory,
      allowFileUrls: true,
      watchFileUrls: true,
      defaultNamespace: 'default',
      onError: () => undefined,
      ...options,
    });
    test.#running = controllers.run(test.#stopping.signal);
    await controllers.ready;
    return test;
  }

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  /** A source of the repository, as it is after a first commit. */
  async createSource(): Promise<void> {
    await this.cluster.client.resource(gitRepositoryKind).create({
      metadata: { name: 'src', namespace: 'default' },
      spec: { url: this.repository.url, interval: '1h', ref: { branch: 'main' } },
    });
  }

  async createKustomization(
    name = 'app',
    spec: Partial<Kustomization['spec']> = {},
    metadata: Kustomization['metadata'] = {},
  ): Promise<void> {
    await this.cluster.client.resource(kustomizationKind).create({
      metadata: { name, namespace: 'default', ...metadata },
      spec: {
        interval: '1h',
        retryInterval: '1s',
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'src' },
        ...spec,
      },
    });
  }

  async patch(patch: object, name = 'app'): Promise<void> {
    await this.cluster.client
      .resource(kustomizationKind)
      .patch(name, patch, { namespace: 'default' });
  }

  async patchSource(metadata: object): Promise<void> {
    await this.cluster.client
      .resource(gitRepositoryKind)
      .patch('src', { metadata }, { namespace: 'default' });
  }

  /** The Kustomization, once a condition says what it should. */
  untilCondition(
    type: string,
    isWanted: (condition: Condition, object: Kustomization) => boolean,
    name = 'app',
  ): Promise<Kustomization> {
    return this.cluster.until(
      () => this.cluster.client.resource(kustomizationKind).get(name, { namespace: 'default' }),
      (object) => {
        const found = object.status?.conditions?.find((one) => one.type === type);
        return found !== undefined && isWanted(found, object);
      },
    );
  }

  untilReady(revision = '', name = 'app'): Promise<Kustomization> {
    return this.untilCondition(
      'Ready',
      ({ status }, object) =>
        status === 'True' && (object.status?.lastAppliedRevision ?? '').includes(revision),
      name,
    );
  }

  /** All events, once one of them says this much. */
  untilTold(said: string): Promise<CoreEvent[]> {
    return this.cluster.until(
      async () => {
        const { client } = this.cluster;
        return (await client.resource(kinds.Event).list({ namespace: 'default' }))
          .items as CoreEvent[];
      },
      (events) => events.some(({ message = '' }) => message.includes(said)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.cluster[Symbol.asyncDispose]();
    this.repository.remove();
    rmSync(this.#storageDirectory, { recursive: true, force: true });
  }
}

export const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: ${value}\n`;

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  ArtifactFetcher,
  type Condition,
  customResourceDefinitions,
  GitOpsControllers,
  type GitOpsControllersOptions,
  kustomizationKind,
  requestedAtAnnotation,
  type SourceObject,
} from '@waygate/gitops';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { type CoreEvent, type Kind, type KubeObject, kinds } from '@waygate/schema';
import { expect, vi } from 'vitest';

/** Everything here is on one machine: what takes longer than this does not come. */
export const patience = { timeout: 30_000, interval: 20 };

/** The embedded API with our definitions, and the controllers at work on it. */
export class SourceCluster implements AsyncDisposable {
  readonly client: KubeClient;
  readonly storage: string;
  /** What went wrong and was survived. */
  readonly errors: unknown[] = [];
  private readonly api: TestServer;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  private constructor(api: TestServer, client: KubeClient) {
    this.api = api;
    this.client = client;
    this.storage = mkdtempSync(join(tmpdir(), 'waygate-sources-'));
  }

  static async start(options: Partial<GitOpsControllersOptions> = {}): Promise<SourceCluster> {
    const api = await startTestServer();
    const client = new KubeClient({
      server: api.url,
      namespace: 'default',
      credentials: staticToken(api.adminToken),
    });
    const cluster = new SourceCluster(api, client);
    const definitions = kinds.CustomResourceDefinition as unknown as Kind<KubeObject>;
    for (const one of customResourceDefinitions()) await client.resource(definitions).create(one);
    const controllers = new GitOpsControllers({
      client,
      storageDirectory: cluster.storage,
      defaultNamespace: 'default',
      onError: (error) => cluster.errors.push(error),
      ...options,
    });
    cluster.running = controllers.run(cluster.stopping.signal);
    await controllers.ready;
    return cluster;
  }

  async create<T extends KubeObject>(kind: Kind<T>, name: string, spec: unknown): Promise<void> {
    const object = { metadata: { name, namespace: 'default' }, spec } as unknown as T;
    await this.client.resource(kind).create(object, { namespace: 'default' });
  }

  async secret(name: string, stringData: Record<string, string>): Promise<{ name: string }> {
    const metadata = { name, namespace: 'default' };
    await this.client.resource(kinds.Secret).create({ metadata, stringData });
    return { name };
  }

  async patch<T extends KubeObject>(kind: Kind<T>, name: string, patch: object): Promise<void> {
    await this.client.resource(kind).patch(name, patch as never, { namespace: 'default' });
  }

  /** Asks for a reconciliation, and waits until it is over. */
  async request<T extends KubeObject>(kind: Kind<T>, name: string): Promise<SourceObject> {
    const at = `at ${performance.now()}`;
    await this.patch(kind, name, { metadata: { annotations: { [requestedAtAnnotation]: at } } });
    return this.until(kind, name, (object) =>
      expect(object.status?.lastHandledReconcileAt).toBe(at),
    );
  }

  async get<T extends KubeObject>(kind: Kind<T>, name: string): Promise<SourceObject> {
    return (await this.client
      .resource(kind)
      .get(name, { namespace: 'default' })) as unknown as SourceObject;
  }

  async until<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    check: (object: SourceObject) => void,
  ): Promise<SourceObject> {
    return vi.waitFor(async () => {
      const object = await this.get(kind, name);
      check(object);
      return object;
    }, patience);
  }

  /** Waits for an artifact with a revision. */
  async untilStored<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    revision: string | RegExp,
  ): Promise<SourceObject> {
    return this.until(kind, name, (object) => {
      expect(conditionOf(object, 'Ready')?.message).toMatch(/^stored artifact/);
      expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
      expect(conditionOf(object, 'ArtifactInStorage')?.status).toBe('True');
      expect(object.status?.artifact?.revision).toMatch(revision);
    });
  }

  /** Waits for a failure; gives back the conditions as `type=status/reason: message`. */
  async untilFailed<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    reason: string,
  ): Promise<string[]> {
    const object = await this.until(kind, name, (found) => {
      expect(conditionOf(found, 'Ready')).toMatchObject({ status: 'False', reason });
    });
    return (object.status?.conditions ?? []).map(shownCondition);
  }

  /** The paths of the files of an artifact, fetched as others fetch it. */
  async filesOf(object: SourceObject): Promise<Record<string, string>> {
    const { artifact } = object.status ?? {};
    if (artifact === undefined) throw new Error('there is no artifact');
    const tree = await new ArtifactFetcher().fetch(artifact);
    return Object.fromEntries(tree.list().map((path) => [path.slice(1), tree.readText(path)]));
  }

  async events(name: string): Promise<string[]> {
    const all = await this.client.resource(kinds.Event).list({ namespace: 'default' });
    return (all.items as CoreEvent[])
      .filter(({ involvedObject }) => involvedObject?.name === name)
      .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  /** All that people can read: sources, events and what the controllers reported. */
  async allWords(...all: Kind<KubeObject>[]): Promise<string> {
    const words: unknown[] = [];
    for (const kind of [...all, kinds.Event as unknown as Kind<KubeObject>]) {
      words.push((await this.client.resource(kind).list({ namespace: 'default' })).items);
    }
    const told = this.errors.map((error) => (error instanceof Error ? error.stack : String(error)));
    return JSON.stringify([words, told]);
  }

  /** A Kustomization that applies what a source offers. */
  async apply<T extends KubeObject>(kind: Kind<T>, name: string): Promise<void> {
    await this.create(kustomizationKind, name, {
      interval: '1h',
      prune: true,
      targetNamespace: 'default',
      sourceRef: { kind: kind.kind, name },
    });
  }

  async configMap(name: string): Promise<Record<string, string> | undefined> {
    try {
      const found = await this.client.resource(kinds.ConfigMap).get(name, { namespace: 'default' });
      return found.data ?? {};
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.client.close();
    await this.api.stop();
    rmSync(this.storage, { recursive: true, force: true });
  }
}

export function conditionOf({ status }: SourceObject, wanted: string): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

export function shownCondition({ type, status, reason, message }: Condition): string {
  return `${type}=${status}/${reason}: ${message}`;
}

export function configMapYaml(name: string, value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: ${value}\n`;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  customResourceDefinitions,
  GitOpsControllers,
  type GitOpsControllersOptions,
  type GitRepository,
  gitRepositoryKind,
  type Kustomization,
  kustomizationKind,
  requestedAtAnnotation,
} from '@waygate/gitops';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import { type CoreEvent, type Kind, type KubeObject, kinds } from '@waygate/schema';
import { vi } from 'vitest';
import { TestRepository } from '../../../packages/gitops/src/testing/git-repository.ts';
import { fastClock } from './fast-clock.ts';
import type { Observation, ObservedEvent, ObservedState } from './trace.ts';

export interface StageOptions extends Partial<GitOpsControllersOptions> {
  /** How much faster time passes for the controllers. 1. */
  readonly timeFactor?: number | undefined;
}

const patience = { timeout: 20_000, interval: 10 };

/**
 * Where a scenario plays: an API, a repository, the controllers, and somebody who writes down what
 * they do. The texts are those of the recordings: `<ns>`, `<rev1>`.
 */
export class Stage implements AsyncDisposable {
  readonly client: KubeClient;
  readonly namespace = 'trace-ns';
  readonly repository = new TestRepository();
  readonly storageDirectory = mkdtempSync(join(tmpdir(), 'waygate-trace-'));
  private readonly server: TestServer;
  private readonly commits: string[] = [];
  private readonly objects = new Map<string, ObservedState[]>();
  private readonly events: ObservedEvent[] = [];
  private readonly writes: string[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<unknown>[] = [];
  private requests = 0;

  static async start({ timeFactor, ...options }: StageOptions = {}): Promise<Stage> {
    const server = await startTestServer();
    const stage = new Stage(server);
    await stage.prepare();
    const controllers = new GitOpsControllers({
      client: stage.recorded(),
      storageDirectory: stage.storageDirectory,
      allowFileUrls: true,
      requeueDependencyMs: 5000,
      onError: () => undefined,
      ...(timeFactor === undefined ? {} : { clock: fastClock(timeFactor) }),
      ...options,
    });
    stage.running.push(controllers.run(stage.stopping.signal));
    await controllers.ready;
    return stage;
  }

  private constructor(server: TestServer) {
    this.server = server;
    this.client = this.connect();
  }

  private connect(): KubeClient {
    const { url, adminToken } = this.server;
    return new KubeClient({
      server: url,
      namespace: 'default',
      credentials: staticToken(adminToken),
    });
  }

  private async prepare(): Promise<void> {
    for (const definition of customResourceDefinitions) {
      await this.client
        .resource(kinds.CustomResourceDefinition as unknown as Kind<KubeObject>)
        .create(definition);
    }
    await this.client.resource(kinds.Namespace).create({ metadata: { name: this.namespace } });
    this.watch<Kustomization>(kustomizationKind, (object) => this.noteState(object));
    this.watch<CoreEvent>(kinds.Event, (event) => this.noteEvent(event));
  }

  private watch<T extends KubeObject>(kind: Kind<T>, note: (object: T) => void): void {
    const informer = createInformer(this.client, kind, {});
    informer.addEventHandler({
      onAdd: (object) => note(object),
      onUpdate: (_old, object) => note(object),
    });
    this.running.push(informer.run(this.stopping.signal));
  }

  /** A client whose writes are written down. */
  private recorded(): KubeClient {
    const client = this.connect();
    const send = client.transport.send.bind(client.transport);
    client.transport.send = async (request) => {
      const answer = await send(request);
      const write = writeOf(request.method, request.path);
      if (write !== undefined && answer.statusCode < 300) this.writes.push(write);
      return answer;
    };
    this.running.push(
      new Promise<void>((resolve) => {
        this.stopping.signal.addEventListener('abort', () => resolve());
      }).then(() => client.close()),
    );
    return client;
  }

  private noteState({ metadata, status }: Kustomization): void {
    const key = `Kustomization/${metadata.name}`;
    const states = this.objects.get(key) ?? [];
    this.objects.set(key, states);
    const inventory = status?.inventory?.entries.map(({ id, v }) => `${id}@${v}`);
    states.push({
      generation: metadata.generation ?? 0,
      ...status,
      conditions: status?.conditions ?? [],
      ...(inventory === undefined ? {} : { inventory }),
    } as ObservedState);
  }

  private noteEvent({ involvedObject, type, reason, message }: CoreEvent): void {
    const object = `${involvedObject?.kind}/${involvedObject?.name}`;
    this.events.push({ object, type, reason, message } as ObservedEvent);
  }

  /** What was seen, in the words of the recordings. */
  observation(extra: Record<string, unknown> = {}): Observation {
    let text = JSON.stringify({
      objects: Object.fromEntries(this.objects),
      events: this.events,
      writes: this.writes,
      extra,
    });
    this.commits.forEach((commit, index) => {
      text = text.replaceAll(commit, `<rev${index + 1}>`);
    });
    return JSON.parse(text.replaceAll(this.namespace, '<ns>')) as Observation;
  }

  /** Commits files, where undefined removes one, and tells the source when there is one. */
  async push(files: Readonly<Record<string, string | undefined>>): Promise<void> {
    const number = this.commits.length + 1;
    const message = number === 1 ? 'first commit' : `commit ${number}`;
    this.commits.push(this.repository.commit(files, message));
    if (number > 1) await this.request(gitRepositoryKind, 'src');
  }

  /** Asks for a reconciliation. */
  async request(kind: Kind<KubeObject>, name: string): Promise<void> {
    const annotations = { [requestedAtAnnotation]: `request ${++this.requests}` };
    await this.client
      .resource(kind)
      .patch(name, { metadata: { annotations } }, { namespace: this.namespace });
  }

  async createSource(spec: Partial<GitRepository['spec']> = {}, name = 'src'): Promise<void> {
    const { namespace } = this;
    await this.client.resource(gitRepositoryKind).create({
      metadata: { name, namespace },
      spec: { url: this.repository.url, interval: '1h', ref: { branch: 'main' }, ...spec },
    });
    if (spec.suspend === true) return;
    await vi.waitFor(async () => {
      const found = await this.client.resource(gitRepositoryKind).get(name, { namespace });
      if (found.status?.artifact === undefined) throw new Error(`${name} has no artifact`);
    }, patience);
  }

  async createKustomization(spec: Partial<Kustomization['spec']> = {}, name = 'app') {
    const { namespace } = this;
    await this.client.resource(kustomizationKind).create({
      metadata: { name, namespace },
      spec: {
        interval: '1h',
        prune: true,
        targetNamespace: namespace,
        sourceRef: { kind: 'GitRepository', name: 'src' },
        ...spec,
      },
    });
  }

  async patch(patch: object, name = 'app'): Promise<void> {
    const { namespace } = this;
    await this.client.resource(kustomizationKind).patch(name, patch, { namespace });
  }

  /** Waits for a condition that says this much. */
  async untilReady(said: string, name = 'app'): Promise<void> {
    const wanted = this.spoken(said);
    await vi.waitFor(async () => {
      const { namespace } = this;
      const found = await this.client.resource(kustomizationKind).get(name, { namespace });
      const ready = found.status?.conditions?.find(({ type }) => type === 'Ready');
      const text = `${ready?.status} ${ready?.reason}: ${ready?.message}`;
      if (!text.includes(wanted)) throw new Error(`${name} says ${text}, not ${wanted}`);
      if (ready?.status !== 'True') return;
      const isSeen = found.status?.observedGeneration === found.metadata.generation;
      if (!isSeen) throw new Error(`${name} has not seen its generation`);
    }, patience);
  }

  async until(isTrue: () => Promise<boolean>): Promise<void> {
    await vi.waitFor(async () => {
      if (!(await isTrue())) throw new Error('waited in vain');
    }, patience);
  }

  /** Waits for the n-th event of an object that says this much. */
  async untilTold(said: string, count = 1, object = 'Kustomization/app'): Promise<void> {
    await vi.waitFor(() => {
      const events = this.observation().events.filter((event) => event.object === object);
      const found = events.filter(({ message }) => message.includes(said));
      if (found.length >= count) return;
      throw new Error(`${object} was not told "${said}", but ${JSON.stringify(events, null, 1)}`);
    }, patience);
  }

  /** Waits for a pass that was asked for to have ended. */
  async reconciled(name = 'app'): Promise<void> {
    await this.request(kustomizationKind, name);
    const wanted = `request ${this.requests}`;
    const { namespace } = this;
    await vi.waitFor(async () => {
      const found = await this.client.resource(kustomizationKind).get(name, { namespace });
      if (found.status?.lastHandledReconcileAt !== wanted) throw new Error(`${name} is not done`);
    }, patience);
  }

  async delete(name = 'app'): Promise<void> {
    const { namespace } = this;
    await this.client.resource(kustomizationKind).delete(name, { namespace });
    await vi.waitFor(async () => {
      if (await this.find(kustomizationKind, name)) throw new Error(`${name} is still there`);
    }, patience);
  }

  async find<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    try {
      return await this.client.resource(kind).get(name, { namespace: this.namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async configMapData(name: string): Promise<Record<string, string> | undefined> {
    return (await this.find(kinds.ConfigMap, name))?.data;
  }

  async owner(name: string): Promise<Record<string, string> | undefined> {
    return (await this.find(kinds.ConfigMap, name))?.metadata.labels;
  }

  /** A text of a recording as it is here. */
  private spoken(text: string): string {
    return text
      .replaceAll('<ns>', this.namespace)
      .replaceAll(/<rev(\d+)>/g, (whole, number) => this.commits[Number(number) - 1] ?? whole);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.running);
    await this.client.close();
    await this.server.stop();
    this.repository.remove();
    rmSync(this.storageDirectory, { recursive: true, force: true });
  }
}

/** `patch configmaps a`, for what changes an object that is not Flux'. */
function writeOf(method: string, path: string): string | undefined {
  const verb = { PATCH: 'patch', DELETE: 'delete', POST: 'create', PUT: 'update' }[method];
  const url = new URL(path, 'http://localhost');
  if (verb === undefined || url.searchParams.has('dryRun')) return undefined;
  const found =
    /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)\/(?:namespaces\/[^/]+\/(?=.))?([^/]+)\/([^/]+)$/.exec(
      url.pathname,
    );
  if (found === null) return undefined;
  const [, group, resource, name] = found;
  if (resource === 'events' || group?.includes('toolkit.fluxcd.io')) return undefined;
  return `${verb} ${group === undefined ? '' : `${group}/`}${resource} ${name}`;
}

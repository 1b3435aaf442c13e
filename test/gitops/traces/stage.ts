import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  bucketKind,
  type Condition,
  customResourceDefinitions,
  GitOpsControllers,
  type GitOpsControllersOptions,
  type GitRepository,
  type GitRepositoryStatus,
  gitRepositoryKind,
  type Kustomization,
  kustomizationKind,
  ociRepositoryKind,
  requestedAtAnnotation,
  type SourceObject,
} from '@waygate/gitops';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import { type CoreEvent, type Kind, type KubeObject, kinds } from '@waygate/schema';
import { vi } from 'vitest';
import { TestRepository } from '../../../packages/gitops/src/testing/git-repository.ts';
import { EventSink } from './event-sink.ts';
import { fastClock } from './fast-clock.ts';
import { writeOf } from './recorded-write.ts';
import { withoutChance } from './story.ts';
import { type Observation, type ObservedEvent, type ObservedState, quietOnes } from './trace.ts';

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
  private readonly sink: EventSink;
  private readonly commits: string[] = [];
  private readonly words: [ours: string, theirs: string][] = [];
  private readonly objects = new Map<string, ObservedState[]>();
  private readonly events: ObservedEvent[] = [];
  private readonly writes: string[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<unknown>[] = [];
  private requests = 0;

  static async start({ timeFactor, ...options }: StageOptions = {}): Promise<Stage> {
    const server = await startTestServer();
    const stage = new Stage(server, await EventSink.start());
    await stage.prepare();
    const controllers = new GitOpsControllers({
      client: stage.recorded(),
      storageDirectory: stage.storageDirectory,
      allowFileUrls: true,
      requeueDependencyMs: 5000,
      eventsUrl: stage.sink.url,
      onError: () => undefined,
      ...(timeFactor === undefined ? {} : { clock: fastClock(timeFactor) }),
      ...options,
    });
    stage.running.push(controllers.run(stage.stopping.signal));
    await controllers.ready;
    return stage;
  }

  private constructor(server: TestServer, sink: EventSink) {
    this.server = server;
    this.sink = sink;
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
    for (const definition of customResourceDefinitions()) {
      await this.client
        .resource(kinds.CustomResourceDefinition as unknown as Kind<KubeObject>)
        .create(definition);
    }
    await this.client.resource(kinds.Namespace).create({ metadata: { name: this.namespace } });
    this.watch<Kustomization>(kustomizationKind, (object) => this.noteKustomization(object));
    for (const kind of [gitRepositoryKind, bucketKind, ociRepositoryKind]) {
      const watched = kind as unknown as Kind<SourceObject>;
      this.watch<SourceObject>(watched, (object) => this.noteSource(kind.kind, object));
    }
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

  private noteKustomization({ metadata, status }: Kustomization): void {
    const inventory = status?.inventory?.entries.map(({ id, v }) => `${id}@${v}`);
    this.noteState(`Kustomization/${metadata.name}`, metadata.generation, status, {
      ...(inventory === undefined ? {} : { inventory }),
    });
  }

  private noteSource(kind: string, { metadata, status }: SourceObject): void {
    const { includedArtifacts } = (status ?? {}) as GitRepositoryStatus;
    this.noteState(`${kind}/${metadata.name}`, metadata.generation, status, {
      ...(includedArtifacts === undefined
        ? {}
        : { includedArtifacts: includedArtifacts.map(({ revision }) => revision) }),
    });
  }

  private noteState(
    key: string,
    generation = 0,
    status: { readonly conditions?: readonly Condition[] } = {},
    more: Partial<ObservedState>,
  ): void {
    const states = this.objects.get(key) ?? [];
    this.objects.set(key, states);
    const { conditions = [] } = status;
    states.push({ generation, ...status, conditions, ...more } as ObservedState);
  }

  private noteEvent({ involvedObject, type, reason, message }: CoreEvent): void {
    const object = `${involvedObject?.kind}/${involvedObject?.name}`;
    this.events.push({ object, type, reason, message } as ObservedEvent);
  }

  /** What was seen, in the words of the recordings. */
  observation(extra: Record<string, unknown> = {}): Observation {
    const seen = JSON.stringify({
      objects: Object.fromEntries(this.objects),
      events: this.sink.events,
      notices: quietOnes(this.events, this.sink.events),
      writes: this.writes,
      extra,
    });
    return JSON.parse(this.told(seen)) as Observation;
  }

  /** From now on a text of ours is told in the words of the recording. */
  translate(ours: string, theirs: string): void {
    this.words.push([ours, theirs]);
  }

  /** A text as the recordings have it. */
  told(text: string): string {
    let told = text;
    for (const [ours, theirs] of this.words) told = told.replaceAll(ours, theirs);
    return told.replaceAll(this.namespace, '<ns>');
  }

  /** Commits files, where undefined removes one, and tells the source when there is one. */
  async push(files: Readonly<Record<string, string | undefined>>): Promise<void> {
    const number = this.commits.length + 1;
    const message = number === 1 ? 'first commit' : `commit ${number}`;
    const commit = this.repository.commit(files, message);
    this.commits.push(commit);
    this.translate(commit, `<rev${number}>`);
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

  async create(kind: Kind<KubeObject>, name: string, spec: object): Promise<void> {
    const { namespace } = this;
    const object = { metadata: { name, namespace }, spec } as KubeObject;
    await this.client.resource(kind).create(object, { namespace });
  }

  /** What the API says to an object that it does not take; empty when it took it. */
  async refusal(kind: Kind<KubeObject>, name: string, spec: object): Promise<string> {
    try {
      await this.create(kind, name, spec);
    } catch (error) {
      return (error as Error).message;
    }
    await this.client.resource(kind).delete(name, { namespace: this.namespace });
    return '';
  }

  async secret(name: string, stringData: Record<string, string>): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    await this.client.resource(kinds.Secret).create({ metadata, stringData });
  }

  async source(kind: Kind<KubeObject>, name: string): Promise<SourceObject> {
    const { namespace } = this;
    return (await this.client.resource(kind).get(name, { namespace })) as SourceObject;
  }

  async patchSource(kind: Kind<KubeObject>, name: string, patch: object): Promise<void> {
    await this.client.resource(kind).patch(name, patch, { namespace: this.namespace });
  }

  async deleteSource(kind: Kind<KubeObject>, name: string): Promise<void> {
    await this.client.resource(kind).delete(name, { namespace: this.namespace });
    await this.until(async () => (await this.find(kind, name)) === undefined);
  }

  /** Waits until the Ready condition of an object begins so, and goes on to say that. */
  async untilSays(kind: Kind<KubeObject>, name: string, said: string, further = ''): Promise<void> {
    await this.until(async () => {
      const { status } = await this.source(kind, name);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      const text = `${ready?.status} ${ready?.reason}: ${ready?.message}`;
      return text.startsWith(said) && text.includes(further);
    });
  }

  /** Asks for a reconciliation of a source, and waits until it is over. */
  async handled(kind: Kind<KubeObject>, name: string): Promise<void> {
    await this.request(kind, name);
    const wanted = `request ${this.requests}`;
    await this.until(
      async () => (await this.source(kind, name)).status?.lastHandledReconcileAt === wanted,
    );
  }

  /** Waits until each object of a recording was told as many different things as there. */
  async untilToldAs({ events, notices }: Observation): Promise<void> {
    const things = (all: readonly ObservedEvent[]) =>
      new Set(all.map(({ object, message }) => `${object} ${withoutChance(message)}`));
    const countOf = (all: Set<string>, object: string) =>
      [...all].filter((text) => text.startsWith(`${object} `)).length;
    const wanted = things([...events, ...notices]);
    await this.until(async () => {
      const told = this.observation();
      const seen = things([...told.events, ...told.notices]);
      return [...wanted].every((text) => {
        const object = text.slice(0, text.indexOf(' '));
        return countOf(seen, object) >= countOf(wanted, object);
      });
    });
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
  spoken(text: string): string {
    let spoken = text;
    for (const [ours, theirs] of this.words) spoken = spoken.replaceAll(theirs, ours);
    return spoken.replaceAll('<ns>', this.namespace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.running);
    await this.client.close();
    await this.server.stop();
    await this.sink[Symbol.asyncDispose]();
    this.repository.remove();
    rmSync(this.storageDirectory, { recursive: true, force: true });
  }
}

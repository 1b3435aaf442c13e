import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer, type TestServer } from '@waygate/apiserver';
import {
  customResourceDefinitions,
  gitRepositoryKind,
  type Kustomization,
  kustomizationKind,
} from '@waygate/gitops';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { createInformer } from '@waygate/runtime';
import { type ConfigMap, type Kind, type KubeObject, kinds } from '@waygate/schema';
import { vi } from 'vitest';
import { TestRepository } from '../../../packages/gitops/src/testing/git-repository.ts';
import { commits, ownedNames } from './commits.ts';
import { type ApiAddress, type ControllerHost, crashNamespace } from './controller-host.ts';

const namespace = crashNamespace;
const patience = { timeout: 60_000, interval: 20 };

/** Numbers that only the seed decides. */
export function seededRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Makes what runs the controllers, on an API and a directory for artifacts. */
export type StartHost = (
  api: ApiAddress,
  storageDirectory: string,
) => ControllerHost | Promise<ControllerHost>;

/** What somebody who only looks at the API has seen at the end. */
export interface CrashOutcome {
  /** What was under way at each crash, for whoever has to find out why. */
  readonly crashes: readonly string[];
  /** Objects with the labels of a Kustomization, by its name. */
  readonly owned: Readonly<Record<string, readonly string[]>>;
  readonly inventories: Readonly<Record<string, readonly string[]>>;
  /** How often the object was written that no commit changes. */
  readonly writesOfKept: number;
  /** How many objects of that name there were, one after the other. */
  readonly livesOfKept: number;
  /** The same for the one that went from one Kustomization to another. */
  readonly livesOfMoved: number;
  readonly isForeignThere: boolean;
  /** What is left of a Kustomization that was deleted, and of its objects. */
  readonly leftOfDeleted: readonly string[];
}

/** One life of a cluster whose controllers are killed again and again. */
export class CrashRun implements AsyncDisposable {
  private readonly server: TestServer;
  private readonly host: ControllerHost;
  private readonly client: KubeClient;
  private readonly random: () => number;
  private readonly repository = new TestRepository();
  private readonly storageDirectory: string;
  private readonly stopping = new AbortController();
  private readonly seen = new Map<string, { uids: Set<string>; versions: Set<string> }>();
  private readonly crashes: string[] = [];
  private watching: Promise<unknown> | undefined;
  private pushed = 0;

  static async start(seed: number, startHost: StartHost): Promise<CrashRun> {
    const server = await startTestServer();
    const storageDirectory = mkdtempSync(join(tmpdir(), 'waygate-crash-'));
    const host = await startHost(server, storageDirectory);
    const run = new CrashRun(server, host, storageDirectory, seededRandom(seed));
    await run.prepare();
    return run;
  }

  private constructor(
    server: TestServer,
    host: ControllerHost,
    storageDirectory: string,
    random: () => number,
  ) {
    this.server = server;
    this.host = host;
    this.storageDirectory = storageDirectory;
    this.random = random;
    const { url, adminToken } = server;
    this.client = new KubeClient({ server: url, namespace, credentials: staticToken(adminToken) });
  }

  private async prepare(): Promise<void> {
    const { client } = this;
    for (const definition of customResourceDefinitions()) {
      await client
        .resource(kinds.CustomResourceDefinition as unknown as Kind<KubeObject>)
        .create(definition);
    }
    await client.resource(kinds.ConfigMap).create({ metadata: { name: 'foreign', namespace } });
    const informer = createInformer(client, kinds.ConfigMap, {});
    const note = ({ metadata }: ConfigMap) => {
      const { name = '', uid = '', resourceVersion = '' } = metadata;
      const known = this.seen.get(name) ?? { uids: new Set(), versions: new Set() };
      known.uids.add(uid);
      known.versions.add(resourceVersion);
      this.seen.set(name, known);
    };
    informer.addEventHandler({ onAdd: note, onUpdate: (_old, object) => note(object) });
    this.watching = informer.run(this.stopping.signal);
    this.push();
    await client.resource(gitRepositoryKind).create({
      metadata: { name: 'src', namespace },
      spec: {
        url: this.host.urlOf(this.repository.directory),
        interval: '1h',
        ref: { branch: 'main' },
      },
    });
    for (const name of ['a', 'b']) {
      await client.resource(kustomizationKind).create({
        metadata: { name, namespace },
        spec: {
          interval: '1h',
          retryInterval: '50ms',
          prune: true,
          path: `./${name}`,
          sourceRef: { kind: 'GitRepository', name: 'src' },
          // What moves is taken up by its new owner before the old one lets go.
          ...(name === 'a' ? { dependsOn: [{ name: 'b' }] } : {}),
        },
      });
    }
  }

  private push(): void {
    const files = commits[this.pushed];
    if (files === undefined) return;
    this.pushed++;
    this.repository.git('rm', '-rq', '--ignore-unmatch', '.');
    this.repository.commit(files, `commit ${this.pushed}`);
  }

  /** Commits, crashes and restarts; then a run to the end. */
  async play(): Promise<CrashOutcome> {
    while (this.pushed < commits.length) {
      await this.live(() => this.untilApplied());
      // Most of the time the next commit is there before anybody is up again.
      if (this.random() < 0.7) this.push();
      // Sources may have a controller of their own, which went on meanwhile.
      if (this.random() < 0.5) {
        await this.ask();
        await this.host.run(['source'], () => this.untilFetched());
      }
    }
    await this.finish(() => this.untilApplied());
    const owned = await this.owned();
    const inventories: Record<string, string[]> = {};
    for (const name of ['a', 'b']) {
      const { status } = await this.kustomization(name);
      inventories[name] = (status?.inventory?.entries ?? []).map(({ id }) => id).sort();
    }
    await this.client.resource(kustomizationKind).delete('a', { namespace });
    for (let count = 0; count < 2; count++) await this.live(() => this.untilGone());
    await this.finish(() => this.untilGone());
    const livesOf = (name: string) => this.seen.get(name)?.uids.size ?? 0;
    return {
      crashes: this.crashes,
      owned,
      inventories,
      writesOfKept: this.seen.get('kept')?.versions.size ?? 0,
      livesOfKept: livesOf('kept'),
      livesOfMoved: livesOf('moved'),
      isForeignThere: (await this.find(kinds.ConfigMap, 'foreign')) !== undefined,
      leftOfDeleted: (await this.owned()).a ?? [],
    };
  }

  /** Controllers that are killed at some step, or when there is nothing left to do. */
  private async live(isDone: () => Promise<void>): Promise<void> {
    await this.ask();
    this.crashes.push(await this.host.crash(this.random, isDone));
  }

  private async finish(isDone: () => Promise<void>): Promise<void> {
    await this.ask();
    await this.host.run(['source', 'kustomize'], isDone);
  }

  /** A commit that came while nobody ran is noticed when asked for, and at the interval. */
  private async ask(): Promise<void> {
    const annotations = { 'reconcile.fluxcd.io/requestedAt': `${this.random()}` };
    await this.client
      .resource(gitRepositoryKind)
      .patch('src', { metadata: { annotations } }, { namespace });
  }

  private async untilFetched(): Promise<void> {
    const head = this.repository.git('rev-parse', 'HEAD');
    await vi.waitFor(async () => {
      const { status } = await this.client.resource(gitRepositoryKind).get('src', { namespace });
      if (status?.artifact?.revision.endsWith(head) === true) return;
      const said = (status?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`);
      throw new Error(`the source is behind: ${[...said, ...this.crashes].join('\n')}`);
    }, patience);
  }

  private async untilApplied(): Promise<void> {
    const head = this.repository.git('rev-parse', 'HEAD');
    await vi.waitFor(async () => {
      for (const name of ['a', 'b']) {
        const { status } = await this.kustomization(name);
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        const isApplied = status?.lastAppliedRevision?.endsWith(head) === true;
        if (ready?.status !== 'True' || !isApplied) {
          throw new Error(`${name}: ${ready?.message}; ${this.crashes.join('\n')}`);
        }
      }
    }, patience);
  }

  private async untilGone(): Promise<void> {
    await vi.waitFor(async () => {
      if (await this.find(kustomizationKind, 'a')) throw new Error('a is still there');
    }, patience);
  }

  private kustomization(name: string): Promise<Kustomization> {
    return this.client.resource(kustomizationKind).get(name, { namespace });
  }

  private async find<T extends KubeObject>(kind: Kind<T>, name: string): Promise<T | undefined> {
    try {
      return await this.client.resource(kind).get(name, { namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** All that says that it belongs to a Kustomization, of the kinds that the commits have. */
  private async owned(): Promise<Record<string, string[]>> {
    const label = 'kustomize.toolkit.fluxcd.io/name';
    const found: Record<string, string[]> = {};
    for (const kind of ownedNames) {
      let items: readonly KubeObject[] = [];
      try {
        const resource = await this.client.resourceOf(kind);
        items = (await resource.list({ labelSelector: label })).items;
      } catch {
        // The kind went with its definition.
      }
      for (const { metadata } of items) {
        const owner = metadata.labels?.[label] ?? '';
        const names = found[owner] ?? [];
        names.push(`${kind.kind}/${metadata.name}`);
        found[owner] = names;
      }
    }
    for (const names of Object.values(found)) names.sort();
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.host[Symbol.asyncDispose]();
    await this.client.close();
    await this.server.stop();
    this.repository.remove();
    rmSync(this.storageDirectory, { recursive: true, force: true });
  }
}

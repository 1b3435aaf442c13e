import { setMaxListeners } from 'node:events';
import { isNoMatch, type KubeClient } from '@waygate/kube';
import {
  type Clock,
  type Controller,
  type EventRecorder,
  type Metrics,
  Operator,
  type OperatorOptions,
  type Rival,
  type SharedInformer,
  systemClock,
} from '@waygate/runtime';
import type { Kind, KubeObject } from '@waygate/schema';
import { parseLabelSelector, type Selector } from '@waygate/text';
import { helmChartKind, helmReleaseKind, helmRepositoryKind } from './api/helm-objects.ts';
import type { NotificationEvent } from './api/notification-event.ts';
import {
  bucketKind,
  externalArtifactKind,
  gitRepositoryKind,
  ociRepositoryKind,
} from './api/source-objects.ts';
import { ArtifactFetcher } from './artifact/artifact-fetcher.ts';
import { ArtifactFollower, untilElected } from './artifact/artifact-follower.ts';
import { ArtifactServer, type ArtifactServerOptions } from './artifact/artifact-server.ts';
import { ArtifactStorage, type DigestAlgorithm } from './artifact/artifact-storage.ts';
import { artifactsAnnotation, LeaderAddress } from './artifact/leader-address.ts';
import { EventWebhook } from './event-webhook.ts';
import type { SshAlgorithms } from './git/git-credentials.ts';
import type { ErrorSubject } from './gitops-error.ts';
import {
  addKustomizationController,
  type KustomizationSettings,
} from './kustomization/kustomization-controller.ts';
import { ReconcileMetrics } from './metrics.ts';
import { ControllerEvents } from './notification/controller-events.ts';
import {
  addNotificationControllers,
  type NotificationSettings,
  type Notifications,
} from './notification/notification-controllers.ts';
import type { OwnObjects } from './own-objects.ts';
import { addHelmReleaseController } from './release/helm-release-controller.ts';
import type { ChartSizeLimits } from './source/chart-repository.ts';
import { addSourceControllers } from './source/source-controllers.ts';
import { StandingAside } from './standing-aside.ts';

/** The controllers of this room, by the names that they are chosen with. */
export type GitOpsControllerName = 'source' | 'kustomize' | 'helm' | 'notification';

export interface GitOpsControllersOptions extends KustomizationSettings, NotificationSettings {
  readonly client: KubeClient;
  /** Where artifacts are kept. What is in it can be made again. */
  readonly storageDirectory: string;
  /** Whether artifacts are to be there after a power cut. Those of a directory that is thrown away need not. True. */
  readonly isStorageLasting?: boolean | undefined;
  /** Where artifacts are served: loopback and a free port by default. */
  readonly listen?: ArtifactServerOptions | undefined;
  /** Which controllers run. All by default. */
  readonly controllers?: readonly GitOpsControllerName[] | undefined;
  /** Lets sources name repositories of this machine. Off by default: they are the machine's, not the tenants'. */
  readonly allowFileUrls?: boolean | undefined;
  /** Watches such repositories, so that a commit is seen at once. Off by default. */
  readonly watchFileUrls?: boolean | undefined;
  /** HelmReleases reconciled at a time. 4. */
  readonly concurrentReleases?: number | undefined;
  /** Sources reconciled at a time. 4. */
  readonly concurrentSources?: number | undefined;
  /** Only objects with these labels are reconciled. */
  readonly labelSelector?: string | undefined;
  readonly retentionTtlMs?: number | undefined;
  readonly retentionRecords?: number | undefined;
  /** What digests of artifacts are made with. sha256. */
  readonly digestAlgorithm?: DigestAlgorithm | undefined;
  /** Tries of one download of an artifact. 9. */
  readonly downloadTries?: number | undefined;
  /** Which algorithms of SSH git uses. */
  readonly sshAlgorithms?: SshAlgorithms | undefined;
  /** How much of indexes of Helm repositories and of charts is read. */
  readonly chartSizes?: Partial<ChartSizeLimits> | undefined;
  /**
   * Where events go besides the Kubernetes API: the URL of Flux's notification-controller. Events of
   * these controllers then come to Alerts by that way only, so that nothing is told twice.
   */
  readonly eventsUrl?: string | undefined;
  /**
   * Does not act on kinds while a controller of Flux does, by the Lease that it holds or the statuses
   * that it goes on writing, and takes over when that is gone. Off by default: for a program that shares a cluster.
   */
  readonly standsAside?: boolean | undefined;
  /** Told of each controller that stands aside, and of each that takes over. */
  readonly onStandingAside?: ((controller: string, rival: Rival | undefined) => void) | undefined;
  readonly leaderElection?: OperatorOptions['leaderElection'];
  readonly server?: OperatorOptions['server'];
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Told of what went wrong and was survived; of which object, where it is about one. */
  readonly onError?: ((error: unknown, about?: ErrorSubject) => void) | undefined;
}

/** Where events of the controllers go: known when the parts that take them are. */
interface Telling {
  tell: (event: NotificationEvent) => void;
  /** Writes to the API only. */
  recorder?: EventRecorder;
}

/**
 * The source controllers and the Kustomization controller, with the server of their artifacts.
 *
 * ```ts
 * const controllers = new GitOpsControllers({ client, storageDirectory: '/data' });
 * await controllers.run(signal);
 * ```
 */
export class GitOpsControllers {
  /** For sources of one's own, such as a `DirectorySource`. Its address is known once `ready` resolved. */
  readonly storage: ArtifactStorage;
  /** Resolves when artifacts are served. */
  readonly ready: Promise<void>;
  /** Where events and webhooks are taken, once they are. */
  notifications: Notifications = {};
  readonly #options: GitOpsControllersOptions;
  readonly #clock: Clock;
  #isListening: () => void = () => undefined;

  constructor(options: GitOpsControllersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.storage = new ArtifactStorage({
      directory: options.storageDirectory,
      isLasting: options.isStorageLasting,
      retentionTtlMs: options.retentionTtlMs,
      retentionRecords: options.retentionRecords,
      digestAlgorithm: options.digestAlgorithm,
    });
    this.ready = new Promise((resolve) => {
      this.#isListening = resolve;
    });
  }

  /** Runs until the signal aborts; ends when everything has stopped. */
  async run(signal: AbortSignal): Promise<void> {
    // Every cache and every controller ends with it.
    setMaxListeners(0, signal);
    const { client, leaderElection = false, onError, eventsUrl: url } = this.#options;
    const webhook =
      url === undefined ? undefined : new EventWebhook({ url, clock: this.#clock, onError });
    const telling: Telling = { tell: (event) => webhook?.tell(event) };
    const leader =
      leaderElection === false ? undefined : new LeaderAddress({ client, ...leaderElection });
    const artifacts = this.#artifactServer(leader, () => operator.manager.isLeading, signal);
    const operator: Operator = this.#operator(artifacts, (plain) => {
      telling.recorder = plain;
      return new ControllerEvents({
        recorder: plain,
        clock: this.#clock,
        tell: (event) => telling.tell(event),
      });
    });
    if (webhook !== undefined) operator.manager.add(webhook, 'services');
    operator.manager.add(
      { name: 'artifacts', run: (stop) => artifacts.run(stop, this.#isListening) },
      'services',
    );
    const cleanups = await this.#addControllers(operator, leader, telling, signal);
    try {
      await operator.run(signal);
    } finally {
      for (const cleanup of cleanups) await cleanup();
    }
  }

  #artifactServer(
    leader: LeaderAddress | undefined,
    isLeading: () => boolean,
    signal: AbortSignal,
  ): ArtifactServer {
    const artifacts: ArtifactServer = new ArtifactServer(this.storage, {
      ...this.#options.listen,
      // Behind one Service, a standby is asked as often as the leader.
      elsewhere: async () => {
        if (leader === undefined || isLeading()) return undefined;
        const url = await leader.url(signal).catch(() => undefined);
        return url === undefined || url === artifacts.peerUrl ? 'wait' : url;
      },
    });
    return artifacts;
  }

  /** Adds those that are wanted, as far as the cluster knows their kinds; gives back what ends what they leave open. */
  async #addControllers(
    operator: Operator,
    leader: LeaderAddress | undefined,
    telling: Telling,
    signal: AbortSignal,
  ): Promise<readonly (() => void | Promise<void>)[]> {
    const wanted = this.#options.controllers ?? ['source', 'kustomize', 'helm', 'notification'];
    const aside = this.#standingAside(operator, wanted);
    const sources = await this.#sourceInformers(operator, signal);
    const common = this.#commonOptions(operator, aside);
    const cleanups: (() => void | Promise<void>)[] = [];
    if (wanted.includes('source')) {
      if (leader !== undefined) this.#addFollower(operator, sources, leader, aside);
      const { client, events } = operator;
      const { storage } = this;
      cleanups.push(
        addSourceControllers(operator, { ...common('source'), client, events, storage, sources }),
      );
    }
    if (wanted.includes('kustomize')) {
      const trees = only(sources, treeKinds);
      const { client } = operator;
      cleanups.push(
        addKustomizationController(operator, { ...common('kustomize'), client, sources: trees }),
      );
    }
    if (wanted.includes('helm') && (await this.#isKnown(helmReleaseKind, signal))) {
      const charts = only(sources, chartKinds);
      cleanups.push(addHelmReleaseController(operator, { ...common('helm'), sources: charts }));
    }
    if (wanted.includes('notification')) {
      this.notifications = await addNotificationControllers(
        operator,
        {
          ...common('notification'),
          leader: operator.client,
          recorder: telling.recorder ?? operator.events,
          isFree: () => aside?.isFree('notification') ?? true,
        },
        signal,
      );
      // Told elsewhere, events come to Alerts by that way only.
      if (this.#options.eventsUrl === undefined)
        telling.tell = this.notifications.tell ?? telling.tell;
    }
    return cleanups;
  }

  /** What the controllers of all parts are given. */
  #commonOptions(operator: Operator, aside: StandingAside | undefined) {
    const clock = this.#clock;
    const fetcher = new ArtifactFetcher({
      storage: this.storage,
      clock,
      maxTries: this.#options.downloadTries,
    });
    const reconcileMetrics = new ReconcileMetrics(operator.metrics);
    return (part: GitOpsControllerName) => ({
      ...this.#options,
      fetcher,
      reconcileMetrics,
      isOurs: this.#isOurs(part, aside),
      wakes:
        aside &&
        (<T extends KubeObject>(controller: Controller, objects: OwnObjects<T>) =>
          aside.follows(part, controller, objects)),
      clock,
      random: this.#options.random ?? Math.random,
    });
  }

  /** What runs the controllers. Its Lease says where the leader's artifacts are. */
  #operator(
    artifacts: ArtifactServer,
    recordThrough: (recorder: EventRecorder) => EventRecorder,
  ): Operator {
    const { client, clock, metrics, onError, server, namespace } = this.#options;
    const { leaderElection = false } = this.#options;
    return new Operator({
      name: 'waygate-gitops',
      recordThrough,
      client,
      leaderElection: leaderElection && {
        ...leaderElection,
        annotations: () => {
          const { peerUrl } = artifacts;
          return peerUrl === undefined ? {} : { [artifactsAnnotation]: peerUrl };
        },
      },
      ...(namespace === undefined ? {} : { scope: { namespace } }),
      ...(clock === undefined ? {} : { clock }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(onError === undefined ? {} : { onError }),
      ...(server === undefined ? {} : { server }),
    });
  }

  /** A standby takes over what the leader has fetched, until it is the leader itself. */
  #addFollower(
    operator: Operator,
    sources: ReadonlyMap<string, SharedInformer<KubeObject>>,
    leader: LeaderAddress,
    aside: StandingAside | undefined,
  ): void {
    const follower = new ArtifactFollower({
      storage: this.storage,
      sources: new Map([...sources].filter(([kind]) => kind !== externalArtifactKind.kind)),
      isOurs: this.#isOurs('source', aside),
      leaderUrl: (stop) => leader.url(stop),
      clock: this.#clock,
      onError: this.#options.onError,
    });
    operator.manager.add(
      { name: follower.name, run: (stop) => untilElected(operator, stop, follower) },
      'runnables',
    );
  }

  /** Caches of the kinds of sources that the cluster knows. */
  async #sourceInformers(
    operator: Operator,
    signal: AbortSignal,
  ): Promise<Map<string, SharedInformer<KubeObject>>> {
    const informers = new Map<string, SharedInformer<KubeObject>>();
    const known: readonly Kind<KubeObject>[] = [
      gitRepositoryKind,
      bucketKind,
      ociRepositoryKind,
      externalArtifactKind,
      helmRepositoryKind,
      helmChartKind,
    ];
    for (const kind of known) {
      if (await this.#isKnown(kind, signal)) informers.set(kind.kind, operator.informerFor(kind));
    }
    return informers;
  }

  async #isKnown(kind: Kind<KubeObject>, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.client.mapper.resourceOf(kind, { signal });
      return true;
    } catch (error) {
      if (isNoMatch(error)) return false;
      throw error;
    }
  }

  /** Looks out for others who act, where that was asked for. */
  #standingAside(
    operator: Operator,
    parts: readonly GitOpsControllerName[],
  ): StandingAside | undefined {
    const { client, standsAside = false, namespace, onError, onStandingAside } = this.#options;
    if (!standsAside) return undefined;
    const { leaderElection = false, labelSelector } = this.#options;
    const selector = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
    const { manager } = operator;
    const aside = new StandingAside({
      client,
      parts,
      isElected: leaderElection !== false,
      elected: manager.elected,
      isLeading: () => manager.isLeading,
      isOurs: ({ metadata }) => selector?.matches(metadata.labels) ?? true,
      namespace,
      clock: this.#clock,
      metrics: operator.metrics,
      events: () => operator.events,
      onChange: onStandingAside,
      onError,
    });
    manager.add(aside.leases, 'caches');
    manager.addReadyCheck('standing-aside', () => {
      const { reason } = aside;
      if (reason !== undefined) throw new Error(reason);
    });
    return aside;
  }

  /** Whether an object is of the part that this process answers for, and nobody else acts on it. */
  #isOurs(part: string, aside: StandingAside | undefined): (object: KubeObject) => boolean {
    const { labelSelector } = this.#options;
    const isFree = () => aside?.isFree(part) ?? true;
    if (labelSelector === undefined) return isFree;
    const selector: Selector = parseLabelSelector(labelSelector);
    return ({ metadata }) => isFree() && selector.matches(metadata.labels);
  }
}

/** What Kustomizations are built from, and what releases are. */
const treeKinds = ['GitRepository', 'Bucket', 'OCIRepository', 'ExternalArtifact'];
const chartKinds = ['HelmChart', 'OCIRepository', 'ExternalArtifact'];

function only<T>(map: ReadonlyMap<string, T>, names: readonly string[]): ReadonlyMap<string, T> {
  return new Map([...map].filter(([name]) => names.includes(name)));
}

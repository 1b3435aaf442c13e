import type { DynamicObject } from '@waygate/schema';

/** A Secret with a stored release. */
export interface ReleaseSecret {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  readonly type: 'helm.sh/release.v1';
  readonly data: { readonly release: string };
}

/** How long what depends on an object lives on without it. */
export type Propagation = 'background' | 'foreground' | 'orphan';

/** How it is waited for. `legacy` counts as Helm 3 did; `hookOnly` waits for hooks alone. */
export type WaitStrategy = 'watcher' | 'legacy' | 'hookOnly';

/** What a wait may take, and what for. */
export interface ReadyOptions {
  readonly timeoutMs: number;
  readonly strategy: WaitStrategy;
  /** Jobs of the release have to complete too. */
  readonly withJobs?: boolean | undefined;
}

/** What a container of a hook wrote. */
export interface ContainerLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly text: string;
}

/** Which Pods' logs are meant: one by its name, or all with a label. */
export interface PodChoice {
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Those that have run before the others, too. */
  readonly withInit?: boolean | undefined;
}

/**
 * What the API refused, in its own words.
 *
 * ```ts
 * new ClusterRefusal('Conflict', 'the object has been modified').reason; // 'Conflict'
 * ```
 */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
  readonly reason: 'Conflict' | 'AlreadyExists' | 'NoMatch' | 'Other';

  constructor(reason: ClusterRefusal['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * The cluster as a release acts on it. Whoever implements it talks to the API; what is refused rejects with
 * a `ClusterRefusal`.
 */
export interface ReleaseCluster {
  /** `v1.36.4`, and `apps/v1`, `apps/v1/Deployment`, … */
  capabilities(): Promise<{ readonly version: string; readonly apiVersions: readonly string[] }>;
  /** Asks the API for its kinds anew: there are new ones. */
  forgetKinds(): void;
  isNamespaced(object: DynamicObject): Promise<boolean>;
  get(object: DynamicObject): Promise<DynamicObject | undefined>;
  /** All of a kind, in a namespace or in all. */
  list(
    apiVersion: string,
    kind: string,
    namespace: string,
    labelSelector?: string,
  ): Promise<DynamicObject | undefined>;
  create(object: DynamicObject): Promise<void>;
  apply(object: DynamicObject, options: { readonly force: boolean }): Promise<void>;
  replace(object: DynamicObject): Promise<void>;
  patch(object: DynamicObject, patch: object, type: 'strategic' | 'merge' | 'json'): Promise<void>;
  /** False when it was not there. */
  delete(object: DynamicObject, propagation: Propagation): Promise<boolean>;
  /** Until all are ready; rejects with the reason when the time is over. */
  waitReady(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void>;
  /** Until a hook's Jobs and Pods have completed; other kinds are done when they are there. */
  waitHook(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void>;
  /** Until none is there any more; `hookOnly` does not wait, as Helm does not. */
  waitDeleted(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void>;
  /** What the containers of Pods have written. */
  logs(pods: PodChoice): Promise<readonly ContainerLog[]>;
  /** Makes fields that a client's patch wrote belong to the server's merge. */
  migrateFieldManager(object: DynamicObject): Promise<void>;
  /** Of a namespace, or with none of all. */
  listSecrets(namespace: string, labelSelector: string): Promise<readonly ReleaseSecret[]>;
  getSecret(namespace: string, name: string): Promise<ReleaseSecret | undefined>;
  createSecret(namespace: string, secret: ReleaseSecret): Promise<void>;
  updateSecret(namespace: string, secret: ReleaseSecret): Promise<void>;
  deleteSecret(namespace: string, name: string): Promise<void>;
}

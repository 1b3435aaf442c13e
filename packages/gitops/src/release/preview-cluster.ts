import {
  type Change,
  changeOf,
  driftedPaths,
  dryRunFailure,
  type ObjectFailure,
} from '@waygate/apply';
import {
  ClusterRefusal,
  type ContainerLog,
  type ReleaseCluster,
  type ReleaseSecret,
} from '@waygate/helm';
import { isAlreadyExists, type KubeClient, KubeError, type Resource } from '@waygate/kube';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { isObject } from '@waygate/text';
import { KubeReleaseCluster, type KubeReleaseClusterOptions } from './kube-release-cluster.ts';

/** A hook that would run. */
export interface PreviewedHook {
  readonly object: DynamicObject;
  /** `pre-upgrade,post-upgrade`. */
  readonly events: string;
}

const hookAnnotation = 'helm.sh/hook';

/**
 * A cluster in which nothing changes: writes are asked of the API as dry runs, and noted with the object before and
 * after. What is refused is noted, too, and the action goes on. Nothing is waited for or stored.
 */
export class PreviewCluster implements ReleaseCluster {
  readonly #client: KubeClient;
  readonly #options: KubeReleaseClusterOptions;
  readonly #live: KubeReleaseCluster;
  readonly #changes = new Map<string, Change>();
  readonly #hooks = new Map<string, PreviewedHook>();
  readonly #failures: ObjectFailure[] = [];

  constructor(client: KubeClient, options: KubeReleaseClusterOptions) {
    this.#client = client;
    this.#options = options;
    this.#live = new KubeReleaseCluster(client, options);
  }

  /** In the order in which they would be done. */
  get changes(): readonly Change[] {
    return [...this.#changes.values()];
  }

  get hooks(): readonly PreviewedHook[] {
    return [...this.#hooks.values()];
  }

  get failures(): readonly ObjectFailure[] {
    return this.#failures;
  }

  capabilities(): ReturnType<ReleaseCluster['capabilities']> {
    return this.#live.capabilities();
  }

  forgetKinds(): void {}

  async isNamespaced(object: DynamicObject): Promise<boolean> {
    const definition = this.#definitionOf(object);
    if (definition === undefined) return this.#live.isNamespaced(object);
    return isObject(definition.spec) && definition.spec.scope === 'Namespaced';
  }

  get(object: DynamicObject): Promise<DynamicObject | undefined> {
    return this.#live.get(object);
  }

  list(...query: Parameters<ReleaseCluster['list']>): ReturnType<ReleaseCluster['list']> {
    return this.#live.list(...query);
  }

  async create(object: DynamicObject): Promise<void> {
    await this.#write(object, (resource) => resource.create(object, this.#dry(), this.#call()));
  }

  async apply(object: DynamicObject, { force }: { readonly force: boolean }): Promise<void> {
    const options = { ...this.#dry(), fieldValidation: 'Strict' as const, force };
    await this.#write(object, (resource) => resource.apply(object, options, this.#call()));
  }

  async replace(object: DynamicObject): Promise<void> {
    await this.#write(object, async (resource, before) => {
      const { resourceVersion } = before?.metadata ?? {};
      const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
      return resource.update(body as DynamicObject, this.#dry(), this.#call());
    });
  }

  async patch(
    object: DynamicObject,
    patch: object,
    type: 'strategic' | 'merge' | 'json',
  ): Promise<void> {
    const { name = '', namespace } = object.metadata;
    await this.#write(object, (resource) =>
      resource.patch(name, patch, { ...this.#dry(), namespace, type }, this.#call()),
    );
  }

  async delete(object: DynamicObject): Promise<boolean> {
    const live = await this.get(object);
    if (live === undefined) return false;
    if (hookEvents(object) === undefined)
      this.#note({ ...changeOf(object, 'deleted'), before: live });
    return true;
  }

  async waitReady(): Promise<void> {}
  async waitHook(): Promise<void> {}
  async waitDeleted(): Promise<void> {}
  async migrateFieldManager(): Promise<void> {}

  async logs(): Promise<readonly ContainerLog[]> {
    return [];
  }

  listSecrets(namespace: string, labelSelector: string): Promise<readonly ReleaseSecret[]> {
    return this.#live.listSecrets(namespace, labelSelector);
  }

  getSecret(namespace: string, name: string): Promise<ReleaseSecret | undefined> {
    return this.#live.getSecret(namespace, name);
  }

  async createSecret(): Promise<void> {}
  async updateSecret(): Promise<void> {}
  async deleteSecret(): Promise<void> {}

  async #write(
    object: DynamicObject,
    send: (
      resource: Resource<DynamicObject>,
      before: DynamicObject | undefined,
    ) => Promise<DynamicObject>,
  ): Promise<void> {
    const events = hookEvents(object);
    if (events !== undefined)
      this.#hooks.set(changeOf(object, 'created').subject, { object, events });
    try {
      if (this.#isExpected(object)) {
        if (events === undefined) this.#note({ ...changeOf(object, 'created'), after: object });
        return;
      }
      const before = await this.get(object);
      const resource = await this.#client.resourceOf(object, this.#call());
      const after = await send(resource, before);
      if (events !== undefined) return;
      const paths = before === undefined ? [] : driftedPaths(before, after);
      const same = paths.length === 0 ? 'unchanged' : 'configured';
      const change = changeOf(object, before === undefined ? 'created' : same, paths);
      this.#note({ ...change, before, after });
    } catch (error) {
      const cause = error instanceof ClusterRefusal ? error.cause : error;
      if (!(cause instanceof KubeError)) throw error;
      // A hook of before is deleted first.
      if (events !== undefined && isAlreadyExists(cause)) return;
      this.#failures.push(dryRunFailure(object, cause));
    }
  }

  /** An object is written more than once where fields change hands: what it was first and is last counts. */
  #note(change: Change): void {
    const known = this.#changes.get(change.subject);
    const isReplaced = known?.action === 'deleted' && change.action !== 'deleted';
    const before = isReplaced ? known.before : change.before;
    this.#changes.delete(change.subject);
    this.#changes.set(change.subject, {
      ...change,
      ...(isReplaced && { action: 'created' as const }),
      before,
    });
  }

  /** What only comes to be with this action cannot be asked for: its kind, or its namespace. */
  #isExpected(object: DynamicObject): boolean {
    if (this.#definitionOf(object) !== undefined) return true;
    const { namespace = '' } = object.metadata;
    return this.#changes.get(`Namespace/${namespace}`)?.action === 'created';
  }

  /** The definition of an object's kind, where that is new. */
  #definitionOf(object: DynamicObject): DynamicObject | undefined {
    const { group } = parseApiVersion(object.apiVersion ?? '');
    for (const { action, after } of this.#changes.values()) {
      if (action !== 'created' || after?.kind !== 'CustomResourceDefinition') continue;
      const spec = isObject(after.spec) ? after.spec : {};
      const kind = isObject(spec.names) ? spec.names.kind : undefined;
      if (spec.group === group && kind === object.kind) return after;
    }
    return undefined;
  }

  #dry(): { fieldManager: string; dryRun: true } {
    return { fieldManager: this.#options.fieldManager, dryRun: true };
  }

  #call(): { signal?: AbortSignal } {
    const { signal } = this.#options;
    return signal === undefined ? {} : { signal };
  }
}

function hookEvents({ metadata }: DynamicObject): string | undefined {
  return metadata.annotations?.[hookAnnotation];
}

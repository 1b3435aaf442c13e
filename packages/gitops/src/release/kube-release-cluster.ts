import { text } from 'node:stream/consumers';
import { managedFieldsCleanup } from '@waygate/apply';
import {
  ClusterRefusal,
  type ContainerLog,
  type PodChoice,
  type Propagation,
  type ReadyOptions,
  type ReleaseCluster,
  type ReleaseSecret,
} from '@waygate/helm';
import {
  isAlreadyExists,
  isConflict,
  isNoMatch,
  isNotFound,
  type KubeClient,
  KubeError,
  type Resource,
} from '@waygate/kube';
import {
  apiVersionOf,
  type DynamicObject,
  type Kind,
  type KubeObject,
  kinds,
} from '@waygate/schema';
import type { HealthRule } from '../kustomization/health-check.ts';
import {
  hookJudge,
  readyJudge,
  type WaitSettings,
  type WaitWords,
  waitForAbsence,
  waitForHealth,
} from './object-wait.ts';

/** Whose writes they are, and when they end. */
export interface KubeReleaseClusterOptions {
  /** `helm` for the program, `helm-controller` for the controller. */
  readonly fieldManager: string;
  /** Ends what waits. */
  readonly signal?: AbortSignal | undefined;
  /** In whose words waits fail. `watcher`, which are Helm 4's. */
  readonly words?: WaitWords | undefined;
  /** What is known of the health of some kinds goes before the common rules. */
  readonly rule?: HealthRule | undefined;
}

/** Of one container: enough to see why a hook failed. */
const longestLog = 256 * 1024;

const propagations = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
} as const satisfies Record<Propagation, string>;

const secretKind = kinds.Secret as unknown as Kind<KubeObject & ReleaseSecret>;

/**
 * A cluster for Helm's actions, over an API client.
 *
 * ```ts
 * const cluster = new KubeReleaseCluster(client, { fieldManager: 'helm' });
 * const { version } = await cluster.capabilities();
 * ```
 */
export class KubeReleaseCluster implements ReleaseCluster {
  readonly #client: KubeClient;
  readonly #options: KubeReleaseClusterOptions;

  constructor(client: KubeClient, options: KubeReleaseClusterOptions) {
    this.#client = client;
    this.#options = options;
  }

  async capabilities(): Promise<{ version: string; apiVersions: readonly string[] }> {
    const [version, surface] = await refused(() =>
      Promise.all([
        this.#client.discovery.serverVersion(this.#call()),
        this.#client.mapper.surface(this.#call()),
      ]),
    );
    const apiVersions = new Set<string>();
    for (const { name, versions } of surface.groups) {
      for (const each of versions) apiVersions.add(apiVersionOf(name, each));
    }
    for (const { group, version: each, kind } of surface.resources) {
      apiVersions.add(`${apiVersionOf(group, each)}/${kind}`);
    }
    return { version: version.gitVersion, apiVersions: [...apiVersions] };
  }

  forgetKinds(): void {
    this.#client.mapper.invalidate();
  }

  async isNamespaced(object: DynamicObject): Promise<boolean> {
    return (await this.#resource(object)).kind.scope === 'Namespaced';
  }

  async get(object: DynamicObject): Promise<DynamicObject | undefined> {
    return orUndefined(async () => {
      const resource = await this.#client.resourceOf(object, this.#call());
      const { name = '', namespace } = object.metadata;
      return resource.get(name, { namespace }, this.#call());
    });
  }

  async list(
    apiVersion: string,
    kind: string,
    namespace: string,
    labelSelector?: string,
  ): Promise<DynamicObject | undefined> {
    return orUndefined(async () => {
      const resource = await this.#client.resourceOf({ apiVersion, kind }, this.#call());
      const options = { ...(namespace && { namespace }), labelSelector };
      const { items, resourceVersion } = await resource.listAll(options, this.#call());
      return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion }, items };
    });
  }

  async create(object: DynamicObject): Promise<void> {
    await refused(async () => {
      const resource = await this.#resource(object);
      await resource.create(object, this.#manager(), this.#call());
    });
  }

  async apply(object: DynamicObject, { force }: { readonly force: boolean }): Promise<void> {
    await refused(async () => {
      const resource = await this.#resource(object);
      const options = { ...this.#manager(), fieldValidation: 'Strict' as const, force };
      await resource.apply(object, options, this.#call());
    });
  }

  async replace(object: DynamicObject): Promise<void> {
    await refused(async () => {
      const resource = await this.#resource(object);
      const { name = '', namespace } = object.metadata;
      const { metadata } = await resource.get(name, { namespace }, this.#call());
      const { resourceVersion } = metadata;
      const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
      await resource.update(body as DynamicObject, this.#manager(), this.#call());
    });
  }

  async patch(
    object: DynamicObject,
    patch: object,
    type: 'strategic' | 'merge' | 'json',
  ): Promise<void> {
    await refused(async () => {
      const resource = await this.#resource(object);
      const { name = '', namespace } = object.metadata;
      await resource.patch(name, patch, { ...this.#manager(), namespace, type }, this.#call());
    });
  }

  async delete(object: DynamicObject, propagation: Propagation): Promise<boolean> {
    const gone = await orUndefined(async () => {
      const resource = await this.#client.resourceOf(object, this.#call());
      const { name = '', namespace } = object.metadata;
      const propagationPolicy = propagations[propagation];
      return resource.delete(name, { namespace, propagationPolicy }, this.#call());
    });
    return gone !== undefined;
  }

  async waitReady(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void> {
    if (options.strategy === 'hookOnly') return;
    const waits = this.#waits(options);
    const judge = readyJudge(options, this.#ruleFor(options));
    const failsFast = waits.words === 'poller';
    await waitForHealth(objects, judge, options.timeoutMs, { ...waits, failsFast });
  }

  async waitHook(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void> {
    const judge = hookJudge(this.#ruleFor(options));
    await waitForHealth(objects, judge, options.timeoutMs, this.#waits(options));
  }

  async waitDeleted(objects: readonly DynamicObject[], options: ReadyOptions): Promise<void> {
    if (options.strategy === 'hookOnly' && this.#options.words !== 'legacy') return;
    await waitForAbsence(objects, options.timeoutMs, this.#waits(options));
  }

  async logs(choice: PodChoice): Promise<readonly ContainerLog[]> {
    const { namespace, name, labelSelector, withInit } = choice;
    return refused(async () => {
      const pods = this.#client.resource(kinds.Pod);
      const found =
        name === undefined
          ? (await pods.listAll({ namespace, labelSelector }, this.#call())).items
          : [await pods.get(name, { namespace }, this.#call())];
      const logs: ContainerLog[] = [];
      for (const { metadata, spec } of found) {
        const pod = metadata.name ?? '';
        const init = withInit === true ? (spec?.initContainers ?? []) : [];
        for (const { name: container } of [...init, ...(spec?.containers ?? [])]) {
          const options = { container, limitBytes: longestLog };
          const body = await this.#client.pod(namespace, pod).logs(options, this.#call());
          logs.push({ namespace, pod, container, text: await text(body) });
        }
      }
      return logs;
    });
  }

  async migrateFieldManager(object: DynamicObject): Promise<void> {
    const { fieldManager } = this.#options;
    const live = await this.get(object);
    if (live === undefined) return;
    const managers = [{ name: fieldManager, operation: 'Update' as const }];
    const patch = managedFieldsCleanup(live, managers, fieldManager);
    if (patch === undefined) return;
    const path = '/metadata/resourceVersion';
    const unchanged = { op: 'replace', path, value: live.metadata.resourceVersion };
    await this.patch(object, [...patch, unchanged], 'json');
  }

  async listSecrets(namespace: string, labelSelector: string): Promise<readonly ReleaseSecret[]> {
    return refused(async () => {
      const secrets = this.#client.resource(secretKind);
      const scope = namespace === '' ? { labelSelector } : { namespace, labelSelector };
      return (await secrets.listAll(scope, this.#call())).items;
    });
  }

  async getSecret(namespace: string, name: string): Promise<ReleaseSecret | undefined> {
    return orUndefined(() =>
      this.#client.resource(secretKind).get(name, { namespace }, this.#call()),
    );
  }

  async createSecret(namespace: string, secret: ReleaseSecret): Promise<void> {
    const body = secret as KubeObject & ReleaseSecret;
    await refused(() =>
      this.#client.resource(secretKind).create(body, { namespace }, this.#call()),
    );
  }

  async updateSecret(namespace: string, secret: ReleaseSecret): Promise<void> {
    const body = secret as KubeObject & ReleaseSecret;
    await refused(() =>
      this.#client.resource(secretKind).update(body, { namespace }, this.#call()),
    );
  }

  async deleteSecret(namespace: string, name: string): Promise<void> {
    await orUndefined(() =>
      this.#client.resource(secretKind).delete(name, { namespace }, this.#call()),
    );
  }

  #resource(object: DynamicObject): Promise<Resource<DynamicObject>> {
    return refused(() => this.#client.resourceOf(object, this.#call()));
  }

  #manager(): { fieldManager: string } {
    return { fieldManager: this.#options.fieldManager };
  }

  #call(): { signal?: AbortSignal } {
    const { signal } = this.#options;
    return signal === undefined ? {} : { signal };
  }

  /** The old way of waiting knows none of the rules. */
  #ruleFor({ strategy }: ReadyOptions): HealthRule | undefined {
    return strategy === 'legacy' ? undefined : this.#options.rule;
  }

  #waits({ strategy }: ReadyOptions): WaitSettings {
    const { words = 'watcher', signal } = this.#options;
    return {
      get: (object) => this.get(object),
      signal,
      words: strategy === 'legacy' ? 'legacy' : words,
    };
  }
}

/** What the API says no to is a `ClusterRefusal`, in its own words. */
async function refused<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new ClusterRefusal(reasonOf(error), error.status?.message ?? error.message, {
      cause: error,
    });
  }
}

function reasonOf(error: KubeError): ClusterRefusal['reason'] {
  if (isConflict(error)) return 'Conflict';
  if (isAlreadyExists(error)) return 'AlreadyExists';
  return isNoMatch(error) ? 'NoMatch' : 'Other';
}

async function orUndefined<T>(run: () => Promise<T>): Promise<T | undefined> {
  return refused(async () => {
    try {
      return await run();
    } catch (error) {
      if (isNotFound(error) || isNoMatch(error)) return undefined;
      throw error;
    }
  });
}

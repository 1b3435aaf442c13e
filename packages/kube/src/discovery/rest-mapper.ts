import { apiVersionOf, type GroupVersionKind, parseApiVersion } from '@waygate/schema';
import { KubeError } from '../error.ts';
import type { CallOptions } from '../list-options.ts';
import type { ApiResource, ApiSurface } from './api-resource.ts';
import type { Discovery } from './discovery.ts';

/** How a mapper keeps what it learned. */
export interface RestMapperOptions {
  /** What is not known is looked for again, but not more often than this. Default 5 s. */
  readonly minRefreshMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/**
 * From kinds to resources and back, as the server tells it. The answer is kept; a kind that is not
 * in it may be new, as after a CustomResourceDefinition, so it is asked for again.
 *
 * ```ts
 * const { plural } = await client.mapper.resourceOfObject({ apiVersion: 'apps/v1', kind: 'Deployment' });
 * const found = await client.mapper.resourceNamed('deploy');
 * ```
 */
export class RestMapper {
  readonly #discovery: Discovery;
  readonly #minRefreshMs: number;
  readonly #now: () => number;
  /** The last answer of the server, and the same by kind; replaced together. */
  #surface: ApiSurface | undefined;
  #byKind = new Map<string, ApiResource>();
  /** A kind that is not known is asked for again, but not sooner than `minRefreshMs` after this. */
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  /** The one request that is under way; all who ask meanwhile share it. */
  #loading: Promise<ApiSurface> | undefined;

  constructor(discovery: Discovery, options: RestMapperOptions = {}) {
    this.#discovery = discovery;
    this.#minRefreshMs = options.minRefreshMs ?? 5_000;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * The resource of a kind; of a group's kind in the preferred version when none is given.
   *
   * @throws KubeError `WG_KUBE_NO_MATCH` when the server does not know it
   */
  async resourceOf(
    kind: { readonly group: string; readonly version?: string | undefined; readonly kind: string },
    call: CallOptions = {},
  ): Promise<ApiResource> {
    return this.#find(
      () =>
        kind.version === undefined
          ? this.#preferred((one) => one.group === kind.group && one.kind === kind.kind)
          : this.#byKind.get(keyOf({ ...kind, version: kind.version })),
      () => `kind ${kind.kind} in ${apiVersionOf(kind.group, kind.version ?? '*')}`,
      call,
    );
  }

  /** The resource of an object by its apiVersion and kind. */
  async resourceOfObject(
    object: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined },
    call: CallOptions = {},
  ): Promise<ApiResource> {
    if (object.apiVersion === undefined || object.kind === undefined) {
      throw new KubeError('WG_KUBE_CONFIG', 'the object does not say its apiVersion and kind');
    }
    return this.resourceOf({ ...parseApiVersion(object.apiVersion), kind: object.kind }, call);
  }

  /** The resource that a person means: `deploy`, `deployments.apps`, `deployments.v1.apps`, `Pod`. */
  async resourceNamed(text: string, call: CallOptions = {}): Promise<ApiResource> {
    const [name = '', ...rest] = text.toLowerCase().split('.');
    const suffix = rest.join('.');
    const isNamed = (one: ApiResource) =>
      one.plural === name || one.singular.toLowerCase() === name || one.kind.toLowerCase() === name;
    const isShort = (one: ApiResource) => one.shortNames.includes(name);
    const isIn = (one: ApiResource) =>
      suffix === '' || suffix === one.group || suffix === versionFirst(one);
    return this.#find(
      // A short name never stands in the way of what is called just that elsewhere.
      () =>
        this.#preferred((one) => isIn(one) && isNamed(one)) ??
        this.#preferred((one) => isIn(one) && isShort(one)),
      () => `resource "${text.slice(0, 200)}"`,
      call,
    );
  }

  /** All that the server serves, from the last time that it was asked. */
  async surface(call: CallOptions = {}): Promise<ApiSurface> {
    return this.#surface ?? this.#load(call);
  }

  /** Forgets everything, so that the next question goes to the server. */
  invalidate(): void {
    this.#surface = undefined;
    this.#byKind = new Map();
    this.#loadedAtMs = Number.NEGATIVE_INFINITY;
  }

  async #find(
    look: () => ApiResource | undefined,
    describe: () => string,
    call: CallOptions,
  ): Promise<ApiResource> {
    await this.surface(call);
    const known = look();
    if (known !== undefined) return known;
    if (this.#now() - this.#loadedAtMs >= this.#minRefreshMs) {
      await this.#load(call);
      const found = look();
      if (found !== undefined) return found;
    }
    throw new KubeError('WG_KUBE_NO_MATCH', `the server knows no ${describe()}`);
  }

  /** Of several versions the one that the server prefers; of several groups the first. */
  #preferred(accepts: (resource: ApiResource) => boolean): ApiResource | undefined {
    for (const group of this.#surface?.groups ?? []) {
      for (const version of group.versions) {
        const found = this.#surface?.resources.find(
          (one) => one.group === group.name && one.version === version && accepts(one),
        );
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #load(call: CallOptions): Promise<ApiSurface> {
    // One question for all who wait; it is not tied to the signal of the one who asked first.
    this.#loading ??= this.#discovery
      .surface({ timeoutMs: call.timeoutMs })
      .then((surface) => {
        this.#surface = surface;
        this.#byKind = new Map(surface.resources.map((one) => [keyOf(one), one]));
        this.#loadedAtMs = this.#now();
        return surface;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }
}

function versionFirst(resource: ApiResource): string {
  return resource.group === '' ? resource.version : `${resource.version}.${resource.group}`;
}

function keyOf(gvk: GroupVersionKind): string {
  return `${apiVersionOf(gvk.group, gvk.version)}:${gvk.kind}`;
}

import { isNotFound, type KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';

/** Where the holder of a Lease serves its artifacts to other replicas. */
export const artifactsAnnotation = 'waygate.dev/artifacts';

interface LeaderAddressOptions {
  readonly client: KubeClient;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** An answer that is as old as this is asked for again. */
const freshMs = 1_000;

/** Finds the one who leads, by what it wrote on the Lease. Many who ask at once ask the API once. */
export class LeaderAddress {
  readonly #options: LeaderAddressOptions;
  #asked: { readonly atMs: number; readonly url: Promise<string | undefined> } | undefined;

  constructor(options: LeaderAddressOptions) {
    this.#options = options;
  }

  /** Undefined when nobody leads, or nobody said where it is. */
  url(signal: AbortSignal): Promise<string | undefined> {
    const nowMs = performance.now();
    if (this.#asked !== undefined && nowMs - this.#asked.atMs < freshMs) return this.#asked.url;
    const url = this.#ask(signal);
    this.#asked = { atMs: nowMs, url };
    url.catch(() => {
      this.#asked = undefined;
    });
    return url;
  }

  async #ask(signal: AbortSignal): Promise<string | undefined> {
    const { client, name = 'waygate-gitops' } = this.#options;
    const namespace = this.#options.namespace ?? (client.config.namespace || 'default');
    try {
      const { metadata, spec } = await client
        .resource(kinds.Lease)
        .get(name, { namespace }, { signal });
      const url = metadata.annotations?.[artifactsAnnotation];
      return spec?.holderIdentity && /^http:\/\/[^/]+$/u.test(url ?? '') ? url : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

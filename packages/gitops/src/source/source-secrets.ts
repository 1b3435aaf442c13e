import { isNotFound, type KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import type { SecretData } from '../api/secret-data.ts';
import { messageOf } from '../gitops-error.ts';

/** A Secret that a source names is not there, or may not be read. */
export class SecretUnavailable extends Error {
  override readonly name = 'SecretUnavailable';
}

/** Reads what sources name in their own namespace, and never in another. */
export class SourceSecrets {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * The data of a Secret as text by key; undefined when none is named.
   *
   * @throws SecretUnavailable `failed to get secret '<namespace>/<name>': …` when it is not there
   */
  async read(
    namespace: string,
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<SecretData | undefined> {
    if (name === undefined || name === '') return undefined;
    try {
      const { data } = await this.#client
        .resource(kinds.Secret)
        .get(name, { namespace }, { signal });
      return Object.fromEntries(
        Object.entries(data ?? {}).map(([key, value]) => [
          key,
          Buffer.from(value, 'base64').toString('utf8'),
        ]),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error)) throw error;
      throw new SecretUnavailable(
        `failed to get secret '${namespace}/${name}': ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** The names of the image pull Secrets of a ServiceAccount. */
  async pullSecretNames(
    namespace: string,
    account: string,
    signal: AbortSignal,
  ): Promise<string[]> {
    try {
      const found = await this.#client
        .resource(kinds.ServiceAccount)
        .get(account, { namespace }, { signal });
      return (found.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : []));
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error)) throw error;
      throw new SecretUnavailable(
        `failed to get service account '${namespace}/${account}': ${messageOf(error)}`,
        { cause: error },
      );
    }
  }
}

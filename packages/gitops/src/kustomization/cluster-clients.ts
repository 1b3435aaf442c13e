import {
  type ConnectionConfig,
  configOfContext,
  isNotFound,
  KubeClient,
  type KubeconfigUser,
  parseKubeconfig,
} from '@waygate/kube';
import { type KubeObject, kinds } from '@waygate/schema';
import { GitOpsError } from '../gitops-error.ts';
import { tokenCluster } from './token-cluster.ts';

interface ClusterClientsOptions {
  readonly client: KubeClient;
  /** The ServiceAccount of Kustomizations that name none; without it they act as the controller. */
  readonly defaultServiceAccount?: string | undefined;
  /** Clients that are kept open. 100. */
  readonly capacity?: number | undefined;
  readonly kubeconfigs?: KubeconfigPolicy | undefined;
  /** Told of a client that is about to be closed. */
  readonly onClose?: ((client: KubeClient) => void) | undefined;
}

/** What a kubeconfig that a tenant wrote may ask of this process. */
export interface KubeconfigPolicy {
  /** Name a program that gives credentials: it runs with the rights of this process. */
  readonly mayExec?: boolean | undefined;
  /** Switch the check of the server's certificate off. */
  readonly maySkipTlsVerify?: boolean | undefined;
  /** Whose token reaches a cluster of which a ConfigMap tells, where that names no ServiceAccount. */
  readonly defaultServiceAccount?: string | undefined;
}

/** Who applies, and where: what Kustomizations and HelmReleases say alike. */
interface ApplyingObject extends KubeObject {
  spec: {
    serviceAccountName?: string;
    kubeConfig?: {
      secretRef?: { name: string; key?: string };
      configMapRef?: { name: string };
    };
  };
}

/** Clients by what a Kustomization says about where it applies, and as whom. Kept, not made anew. */
export class ClusterClients {
  readonly #options: ClusterClientsOptions;
  /** The least recently used first. */
  readonly #byKey = new Map<string, KubeClient>();

  constructor(options: ClusterClientsOptions) {
    this.#options = options;
  }

  async clientFor(object: ApplyingObject, signal?: AbortSignal): Promise<KubeClient> {
    const { client, defaultServiceAccount } = this.#options;
    const { spec, metadata } = object;
    const { namespace = '' } = metadata;
    const account = spec.serviceAccountName || defaultServiceAccount;
    const user = account ? `system:serviceaccount:${namespace}:${account}` : undefined;
    const remote = await this.#remoteConfig(object, signal);
    if (user === undefined && remote === undefined) return client;
    const base = remote?.config ?? client.config;
    const key = `${remote?.identity ?? ''}\n${user ?? ''}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      this.#byKey.delete(key);
      this.#byKey.set(key, known);
      return known;
    }
    // Where and as whom ever: it is the leader's work.
    const made = new KubeClient(user === undefined ? base : { ...base, impersonation: { user } }, {
      mayWrite: client.mayWrite,
    });
    this.#byKey.set(key, made);
    for (const [oldest, old] of this.#byKey) {
      if (this.#byKey.size <= (this.#options.capacity ?? 100)) break;
      this.#byKey.delete(oldest);
      this.#options.onClose?.(old);
      void old.close();
    }
    return made;
  }

  /** Whether the account that a Kustomization acts as is still there. */
  async hasAccount(object: ApplyingObject, signal?: AbortSignal): Promise<boolean> {
    const account = object.spec.serviceAccountName || this.#options.defaultServiceAccount;
    if (!account || object.spec.kubeConfig !== undefined) return true;
    const { namespace } = object.metadata;
    try {
      await this.#options.client
        .resource(kinds.ServiceAccount)
        .get(account, { namespace }, { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async close(): Promise<void> {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    await Promise.all(all.map((client) => client.close()));
  }

  async #remoteConfig(
    { spec, metadata }: ApplyingObject,
    signal?: AbortSignal,
  ): Promise<{ config: ConnectionConfig; identity: string } | undefined> {
    if (spec.kubeConfig === undefined) return undefined;
    const { secretRef, configMapRef } = spec.kubeConfig;
    const { namespace = '' } = metadata;
    if (configMapRef !== undefined) return this.#tokenConfig(namespace, configMapRef.name, signal);
    if (secretRef === undefined) {
      throw new GitOpsError(
        'WG_GITOPS_CONFIG',
        'spec.kubeConfig names neither a Secret nor a ConfigMap',
      );
    }
    const { name, key } = secretRef;
    const secret = await this.#options.client
      .resource(kinds.Secret)
      .get(name, { namespace }, { signal });
    const data = secret.data ?? {};
    const value = key === undefined ? (data.value ?? data['value.yaml']) : data[key];
    if (value === undefined) {
      const wanted = key ?? 'value';
      throw new GitOpsError(
        'WG_GITOPS_CONFIG',
        `KubeConfig secret '${namespace}/${name}' does not contain a '${wanted}' key with a kubeconfig`,
      );
    }
    const text = Buffer.from(value, 'base64').toString('utf8');
    const kubeconfig = parseKubeconfig(text, `Secret ${namespace}/${name}`);
    const { mayExec = false, maySkipTlsVerify = false } = this.#options.kubeconfigs ?? {};
    for (const user of kubeconfig.users.values()) checkUser(user, mayExec);
    for (const cluster of kubeconfig.clusters.values()) {
      if (cluster['certificate-authority'] !== undefined) throw refused('a file of this machine');
    }
    // As with Flux: a server that is not to be checked is checked all the same.
    const clusters = [...kubeconfig.clusters].map(
      ([name, { 'insecure-skip-tls-verify': skips = false, ...cluster }]) =>
        [
          name,
          { ...cluster, ...(maySkipTlsVerify ? { 'insecure-skip-tls-verify': skips } : {}) },
        ] as const,
    );
    const config = configOfContext({ ...kubeconfig, clusters: new Map(clusters) });
    const identity = `${namespace}/${name}/${secret.metadata.resourceVersion}`;
    return { config, identity };
  }

  async #tokenConfig(
    namespace: string,
    name: string,
    signal?: AbortSignal,
  ): Promise<{ config: ConnectionConfig; identity: string }> {
    const { client, kubeconfigs } = this.#options;
    const map = await client.resource(kinds.ConfigMap).get(name, { namespace }, { signal });
    const config = tokenCluster({
      name: `KubeConfig configmap '${namespace}/${name}'`,
      namespace,
      data: map.data ?? {},
      defaultServiceAccount: kubeconfigs?.defaultServiceAccount,
      client,
      now: () => Date.now(),
    });
    return { config, identity: `ConfigMap/${namespace}/${name}/${map.metadata.resourceVersion}` };
  }
}

/** Programs and files of a tenant's choice would be run and read with the controller's rights. */
function checkUser(user: KubeconfigUser, mayExec: boolean): void {
  if (user['auth-provider'] !== undefined) throw refused('a plugin');
  if (user.exec !== undefined && !mayExec) throw refused('a plugin');
  const files = [user['client-certificate'], user['client-key'], user.tokenFile];
  if (files.some((file) => file !== undefined)) throw refused('a file of this machine');
}

function refused(what: string): GitOpsError {
  return new GitOpsError('WG_GITOPS_CONFIG', `a kubeconfig that names ${what} is refused`);
}

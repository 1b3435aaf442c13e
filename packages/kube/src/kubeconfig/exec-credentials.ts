import type { CredentialSource, Credentials } from '../config/credentials.ts';
import { type ExecPluginOptions, runExecPlugin } from './exec-plugin.ts';
import type { ExecConfig, KubeconfigCluster } from './kubeconfig.ts';

/** How a credential plugin is run. */
export interface ExecCredentialsOptions extends Partial<ExecPluginOptions> {
  /** Wall clock, milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Credentials from a plugin: kept until they expire, asked for again when the API refuses them. All
 * requests share one run of the plugin, so one that gives up does not end it for the others.
 *
 * ```ts
 * const { users, clusters } = await loadKubeconfig();
 * const exec = users.get('ann')?.exec;
 * const cluster = clusters.get('staging');
 * if (exec === undefined || cluster === undefined) throw new Error('no such user or cluster');
 * const { token } = await new ExecCredentials(exec, cluster).get();
 * ```
 */
export class ExecCredentials implements CredentialSource {
  readonly #config: ExecConfig;
  readonly #cluster: KubeconfigCluster;
  readonly #options: ExecPluginOptions;
  readonly #now: () => number;
  #cached: { readonly credentials: Credentials; readonly expiresAtMs: number } | undefined;
  #running: Promise<Credentials> | undefined;

  constructor(
    config: ExecConfig,
    cluster: KubeconfigCluster,
    options: ExecCredentialsOptions = {},
  ) {
    this.#config = config;
    this.#cluster = cluster;
    this.#options = {
      environment: options.environment ?? process.env,
      isInteractive: options.isInteractive ?? process.stdin.isTTY === true,
      timeoutMs: options.timeoutMs ?? 5 * 60_000,
    };
    this.#now = options.now ?? Date.now;
  }

  async get(): Promise<Credentials> {
    if (this.#cached !== undefined && this.#now() < this.#cached.expiresAtMs) {
      return this.#cached.credentials;
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async refresh(refused: Credentials): Promise<boolean> {
    // Another request may have been refused with the same ones, and have new ones already.
    if (this.#cached?.credentials === refused) this.#cached = undefined;
    const fresh = await this.get();
    return fresh.token !== refused.token || fresh.certificate?.key !== refused.certificate?.key;
  }

  async #run(): Promise<Credentials> {
    const status = await runExecPlugin(this.#config, this.#cluster, this.#options);
    const credentials: Credentials = {
      token: status.token,
      certificate:
        status.clientCertificateData === undefined || status.clientKeyData === undefined
          ? undefined
          : { certificate: status.clientCertificateData, key: status.clientKeyData },
    };
    this.#cached = { credentials, expiresAtMs: status.expiresAtMs ?? Number.POSITIVE_INFINITY };
    return credentials;
  }
}

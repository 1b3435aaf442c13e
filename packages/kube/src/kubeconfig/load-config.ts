import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ConnectionConfig } from '../config/connection-config.ts';
import { KubeError } from '../error.ts';
import { type ContextOptions, configOfContext } from './context-config.ts';
import { inClusterConfig } from './in-cluster.ts';
import {
  emptyKubeconfig,
  type Kubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
} from './kubeconfig.ts';
import { writeOidcTokens } from './oidc-token-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where configuration is looked for, and what is used instead of what it says. */
export interface LoadConfigOptions extends ContextOptions {
  /** This file and no other, as `--kubeconfig` means it. */
  readonly kubeconfig?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly home?: string | undefined;
  /** Where a Pod finds its service account. */
  readonly serviceAccountDirectory?: string | undefined;
  /** Told of what went wrong and does not keep the client from working. Default: a process warning. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Finds the configuration as kubectl does: the file that is named, else `KUBECONFIG` (several files
 * merged), else `~/.kube/config`, else that of the Pod we run in.
 *
 * ```ts
 * const client = new KubeClient(await loadConfig({ context: 'staging' }));
 * ```
 *
 * @throws KubeError `WG_KUBE_CONFIG` when there is none, or it cannot be used
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ConnectionConfig> {
  const kubeconfig = await loadKubeconfig(options);
  if (options.kubeconfig !== undefined || options.context !== undefined || !isEmpty(kubeconfig)) {
    return configOfContext(kubeconfig, {
      ...options,
      onOidcTokens: options.onOidcTokens ?? keepOidcTokens(options),
    });
  }
  const inCluster = await inClusterConfig(options.environment, options.serviceAccountDirectory);
  if (inCluster !== undefined) {
    return {
      ...inCluster,
      namespace: options.namespace ?? inCluster.namespace,
      impersonation: options.impersonation,
    };
  }
  throw new KubeError(
    'WG_KUBE_CONFIG',
    `no cluster is configured: looked in ${filesOf(options).join(', ')}; set KUBECONFIG or pass a file`,
  );
}

/**
 * The kubeconfig files that count, merged; empty when there are none.
 *
 * ```ts
 * const kubeconfig = await loadKubeconfig();
 * console.log(kubeconfig.currentContext, [...kubeconfig.clusters.keys()]);
 * ```
 */
export async function loadKubeconfig(options: LoadConfigOptions = {}): Promise<Kubeconfig> {
  const configs: Kubeconfig[] = [];
  for (const file of filesOf(options)) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      // Files of a list may be missing; one that was named must not.
      if (error.code === 'ENOENT' && options.kubeconfig === undefined) return undefined;
      throw new KubeError('WG_KUBE_CONFIG', `cannot read ${file}: ${error.message}`, {
        cause: error,
      });
    });
    if (text !== undefined) configs.push(parseKubeconfig(text, file));
  }
  return configs.length === 0 ? emptyKubeconfig : mergeKubeconfigs(configs);
}

/** New tokens go to the file that had the old ones. Where that fails they still serve this process. */
function keepOidcTokens(options: LoadConfigOptions): ContextOptions['onOidcTokens'] {
  const warn = options.onWarning ?? ((message) => process.emitWarning(message, 'KubeWarning'));
  return async (user, tokens) => {
    try {
      await writeOidcTokens(filesOf(options), user, tokens);
    } catch (error) {
      warn(error instanceof Error ? error.message : String(error));
    }
  };
}

function isEmpty(kubeconfig: Kubeconfig): boolean {
  const { currentContext, clusters, contexts } = kubeconfig;
  return currentContext === '' && clusters.size === 0 && contexts.size === 0;
}

function filesOf(options: LoadConfigOptions): string[] {
  if (options.kubeconfig !== undefined) return [resolve(options.kubeconfig)];
  const environment = options.environment ?? process.env;
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return [...new Set(listed.map((file) => resolve(file)))];
  return [join(options.home ?? environment.HOME ?? homedir(), '.kube', 'config')];
}

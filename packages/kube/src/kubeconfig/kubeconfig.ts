import { dirname, isAbsolute, resolve } from 'node:path';
import { isObject, parseYaml, TextError } from '@waygate/text';
import { KubeError } from '../error.ts';

/** A kubeconfig file, or several merged. Entries are kept by name. */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

/** A `cluster` of a kubeconfig. */
export interface KubeconfigCluster {
  readonly server?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

/** A `user` of a kubeconfig. */
export interface KubeconfigUser {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecConfig;
  readonly 'auth-provider'?: {
    readonly name: string;
    readonly config?: Readonly<Record<string, string>>;
  };
}

/** A `context` of a kubeconfig. */
export interface KubeconfigContext {
  readonly cluster: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** A program that gives credentials. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
}

/** A kubeconfig that says nothing. */
export const emptyKubeconfig: Kubeconfig = {
  currentContext: '',
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
};

/** No kubeconfig is larger. */
export const maxKubeconfigBytes = 16 * 1024 * 1024;

/**
 * Parses one file. Paths in it are relative to where it stands.
 *
 * ```ts
 * import { readFile } from 'node:fs/promises';
 *
 * const kubeconfig = parseKubeconfig(await readFile('kubeconfig', 'utf8'), 'kubeconfig');
 * console.log([...kubeconfig.contexts.keys()]);
 * ```
 *
 * @throws KubeError `WG_KUBE_CONFIG`
 */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  let value: unknown;
  try {
    value = parseYaml(text, { name: file, maxBytes: maxKubeconfigBytes, duplicateKeys: 'last' });
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new KubeError('WG_KUBE_CONFIG', `not a kubeconfig: ${error.message}`, { cause: error });
  }
  if (value === null) return emptyKubeconfig;
  if (!isObject(value)) throw new KubeError('WG_KUBE_CONFIG', `${file} is not a kubeconfig`);
  const directory = dirname(file);
  return {
    currentContext: typeof value['current-context'] === 'string' ? value['current-context'] : '',
    clusters: namedEntries(value.clusters, 'cluster', file, (entry) =>
      withPaths(entry as KubeconfigCluster, directory, ['certificate-authority']),
    ),
    users: namedEntries(value.users, 'user', file, (entry) =>
      withCommand(
        withPaths(entry as KubeconfigUser, directory, [
          'client-certificate',
          'client-key',
          'tokenFile',
        ]),
        directory,
      ),
    ),
    contexts: namedEntries(value.contexts, 'context', file, (entry) => entry as KubeconfigContext),
  };
}

/**
 * Several files as one: the first to set an entry, or the current context, wins.
 *
 * ```ts
 * const mine = parseKubeconfig('{current-context: mine}', 'mine.yaml');
 * const theirs = parseKubeconfig('{current-context: theirs}', 'theirs.yaml');
 * mergeKubeconfigs([mine, theirs]).currentContext; // 'mine'
 * ```
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    currentContext: configs.find((one) => one.currentContext !== '')?.currentContext ?? '',
    clusters: firstOfEach(configs.map((one) => one.clusters)),
    users: firstOfEach(configs.map((one) => one.users)),
    contexts: firstOfEach(configs.map((one) => one.contexts)),
  };
}

function firstOfEach<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) {
    for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  }
  return merged;
}

function namedEntries<T>(
  list: unknown,
  field: string,
  file: string,
  read: (entry: object) => T,
): Map<string, T> {
  const entries = new Map<string, T>();
  if (list === null || list === undefined) return entries;
  if (!Array.isArray(list)) throw new KubeError('WG_KUBE_CONFIG', `${file}: ${field}s is no list`);
  for (const item of list) {
    if (!isObject(item) || typeof item.name !== 'string') {
      throw new KubeError('WG_KUBE_CONFIG', `${file}: a ${field} without a name`);
    }
    const entry = item[field];
    if (!entries.has(item.name)) entries.set(item.name, read(isObject(entry) ? entry : {}));
  }
  return entries;
}

function withPaths<T extends object>(entry: T, directory: string, fields: readonly (keyof T)[]): T {
  const copy = { ...entry };
  for (const field of fields) {
    const path = entry[field];
    if (typeof path === 'string' && path !== '' && !isAbsolute(path)) {
      copy[field] = resolve(directory, path) as T[keyof T];
    }
  }
  return copy;
}

/** A command with a slash is a path as well; one without is looked up in PATH. */
function withCommand(user: KubeconfigUser, directory: string): KubeconfigUser {
  const command = user.exec?.command;
  if (user.exec === undefined || typeof command !== 'string') return user;
  if (isAbsolute(command) || !command.includes('/')) return user;
  return { ...user, exec: { ...user.exec, command: resolve(directory, command) } };
}

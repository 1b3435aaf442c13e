import { isObject, trimEndOf } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';

/** Who asks. A token speaks for itself; the others go to where tokens are given out. */
export type RegistryCredentials =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'identityToken'; readonly token: string }
  | { readonly kind: 'registryToken'; readonly token: string };

interface Entry {
  readonly host: string;
  readonly path: string;
  readonly credentials: RegistryCredentials;
}

/**
 * The credentials of image pull Secrets, found by registry and repository.
 *
 * ```ts
 * const text = JSON.stringify({ auths: { 'ghcr.io': { username: 'ann', password: 'secret' } } });
 * const config = DockerConfig.of([{ '.dockerconfigjson': text }]);
 * config.credentialsFor('ghcr.io', 'acme/app'); // { kind: 'password', username: 'ann', password: 'secret' }
 * ```
 */
export class DockerConfig {
  readonly #entries: readonly Entry[];

  private constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /**
   * Reads the data of image pull Secrets. One that is no such Secret has nothing to say.
   *
   * @throws GitOpsError `WG_GITOPS_AUTH` when one cannot be read
   */
  static of(secrets: readonly Readonly<Record<string, string>>[]): DockerConfig {
    const entries: Entry[] = [];
    for (const secret of secrets) {
      const json = secret['.dockerconfigjson'];
      const old = secret['.dockercfg'];
      if (json !== undefined) entries.push(...entriesOf(parsed(json).auths));
      else if (old !== undefined) entries.push(...entriesOf(parsed(old)));
    }
    // The most particular comes first.
    entries.sort((left, right) => right.path.length - left.path.length);
    return new DockerConfig(entries);
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  credentialsFor(registry: string, repository: string): RegistryCredentials | undefined {
    return this.#entries.find(({ host, path }) => {
      const isBelow = path === '' || repository === path || repository.startsWith(`${path}/`);
      return isBelow && matchesHost(host, registry);
    })?.credentials;
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // What the parser says would show what is in the Secret.
  }
  throw new GitOpsError('WG_GITOPS_AUTH', 'the image pull secret is no docker configuration');
}

function entriesOf(auths: unknown): Entry[] {
  if (!isObject(auths)) return [];
  const entries: Entry[] = [];
  for (const [key, value] of Object.entries(auths)) {
    const credentials = isObject(value) ? credentialsOf(value) : undefined;
    if (credentials === undefined) continue;
    const [host = '', ...path] = key.replace(/^https?:\/\//, '').split('/');
    // The index of Docker Hub is known by an address with a version in it.
    const below = path.filter((part) => part !== '' && !/^v[12]$/.test(part)).join('/');
    entries.push({ host: canonicalHost(host), path: below, credentials });
  }
  return entries;
}

function credentialsOf(entry: Record<string, unknown>): RegistryCredentials | undefined {
  const text = (key: string) => {
    const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const registryToken = text('registrytoken');
  if (registryToken !== undefined) return { kind: 'registryToken', token: registryToken };
  const identityToken = text('identitytoken');
  if (identityToken !== undefined) return { kind: 'identityToken', token: identityToken };
  const username = text('username');
  const password = text('password');
  if (username !== undefined && password !== undefined) {
    return { kind: 'password', username, password };
  }
  const both = trimEndOf(Buffer.from(text('auth') ?? '', 'base64').toString('utf8'), '\0');
  const colon = both.indexOf(':');
  if (colon < 0) return undefined;
  return { kind: 'password', username: both.slice(0, colon), password: both.slice(colon + 1) };
}

function canonicalHost(host: string): string {
  const isHub = host === 'docker.io' || host === 'registry-1.docker.io';
  return isHub ? 'index.docker.io' : host.toLowerCase();
}

/** A star stands for one part of a name, and never for several. */
function matchesHost(pattern: string, registry: string): boolean {
  const wanted = pattern.split('.');
  const parts = canonicalHost(registry).split('.');
  return (
    wanted.length === parts.length &&
    wanted.every((one, index) => one === '*' || one === parts[index])
  );
}

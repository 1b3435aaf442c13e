/** A repository of a registry, from the `oci://` URL of a source. */
export interface OciRepositoryName {
  /** The host, with its port. */
  readonly registry: string;
  readonly repository: string;
  /** As references to it are shown: `ghcr.io/org/app`. */
  readonly shown: string;
}

const defaultRegistry = 'index.docker.io';
const repositoryCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789_-./';

/**
 * Reads the URL of a source. The rules, and what is said about those who break them, are those that
 * users of container registries know.
 *
 * ```ts
 * parseOciUrl('oci://ghcr.io/acme/app'); // { registry: 'ghcr.io', repository: 'acme/app', shown: 'ghcr.io/acme/app' }
 * ```
 *
 * @throws Error that says what is wrong with it
 */
export function parseOciUrl(url: string): OciRepositoryName {
  if (!url.startsWith('oci://')) {
    throw new Error("URL must be in format 'oci://<domain>/<org>/<repo>'");
  }
  const name = url.slice('oci://'.length);
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const repository = hasRegistry ? name.slice(slash + 1) : name;
  if (repository.length < 2 || repository.length > 255) {
    throw new Error(`repository must be between 2 and 255 characters in length: ${repository}`);
  }
  if ([...repository].some((one) => !repositoryCharacters.includes(one))) {
    throw new Error(
      `repository can only contain the characters \`${repositoryCharacters}\`: ${repository}`,
    );
  }
  if (repository.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new Error(`repository has an empty part: ${repository}`);
  }
  const registry = hasRegistry && first !== 'docker.io' ? first : defaultRegistry;
  if (!isHost(registry)) {
    throw new Error(`registries must be valid RFC 3986 URI authorities: ${registry}`);
  }
  const isOfficial = registry === defaultRegistry && !repository.includes('/');
  const full = isOfficial ? `library/${repository}` : repository;
  return { registry, repository: full, shown: `${registry}/${full}` };
}

function isHost(registry: string): boolean {
  try {
    const { host, username, pathname, search, hash } = new URL(`https://${registry}`);
    const isWhole = username === '' && pathname === '/' && search === '' && hash === '';
    return isWhole && (host === registry.toLowerCase() || `${host}:443` === registry);
  } catch {
    return false;
  }
}

/** Whether a registry is on this machine, where nobody listens on the way. */
export function isLoopback(registry: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(registry);
}

/**
 * Whether a registry may be asked without TLS although nobody said so: those on this machine, on
 * private addresses and under `.local`, as other clients of registries do.
 */
export function allowsPlainHttp(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '');
  return (
    isLoopback(registry) ||
    /\.(local|localhost)$/.test(host) ||
    /^(10\.\d{1,3}|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}$/.test(host)
  );
}

export const digestPattern = /^sha256:[0-9a-f]{64}$/;
const tagPattern = /^[\w][\w.-]{0,127}$/;

export function isTag(text: string): boolean {
  return tagPattern.test(text);
}

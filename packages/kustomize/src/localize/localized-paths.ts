import { joinPath } from '../file-system/file-system.ts';

/** Where remote content lies in a copy. */
export const localizeDirectory = 'localized-files';

/** Where a file of another machine lies in a copy: below its host, without user and port. */
export function localizedFilePath(url: string): string {
  const parsed = new URL(url);
  return `${localizeDirectory}/${parsed.hostname}${joinPath('/', parsed.pathname)}`;
}

/** A repository's address taken apart: where it is, what of it, and which revision. */
interface RepositoryAddress {
  /** As a directory is named after it: `github.com`, or `file-schemed`. */
  readonly host: string;
  /** What git clones. */
  readonly cloneUrl: string;
  /** The path of the repository on its host, with `.git` where it was given. */
  readonly path: string;
  /** The directory in the repository. */
  readonly directory: string;
  readonly ref: string | undefined;
}

/**
 * Reads the forms that a remote base has: `https://host/org/repo//dir?ref=v1`, `host/org/repo`,
 * `git@host:org/repo//dir`, `file:///path//dir`. Undefined for what is none.
 *
 * ```ts
 * repositoryAddress('https://git.test/acme/base//overlays/prod?ref=v1'); // { host: 'git.test', cloneUrl: 'https://git.test/acme/base', path: '/acme/base', directory: 'overlays/prod', ref: 'v1' }
 * ```
 */
export function repositoryAddress(text: string): RepositoryAddress | undefined {
  const question = text.indexOf('?');
  const query = new URLSearchParams(question < 0 ? '' : text.slice(question + 1));
  const ref = query.get('ref') || query.get('version') || undefined;
  const plain = (question < 0 ? text : text.slice(0, question)).replace(/^git::/, '');
  const scp = /^((?:[\w.-]+@)?[\w.-]+):(?!\/\/)(.+)$/.exec(plain);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/i.exec(plain);
  if (scheme !== null) {
    const [, name = '', authority = '', rest = ''] = scheme;
    const { path, directory } = split(rest, /^file$/i.test(name));
    const isFile = name.toLowerCase() === 'file';
    const host = isFile ? 'file-schemed' : authority.replace(/^.*@/, '').replace(/:\d*$/, '');
    return { host, cloneUrl: `${name}://${authority}${path}`, path, directory, ref };
  }
  if (scp !== null) {
    const [, authority = '', rest = ''] = scp;
    const { path, directory } = split(rest, false);
    const host = authority.replace(/^.*@/, '');
    return { host, cloneUrl: `${authority}:${path}`, path, directory, ref };
  }
  const known = /^((?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org))\/(.+)$/i.exec(plain);
  if (known === null) return undefined;
  const { path, directory } = split(known[2] ?? '', false);
  return { host: known[1]!, cloneUrl: `https://${known[1]}/${path}`, path, directory, ref };
}

/** The repository ends at `//`, `.git` or `_git/NAME`, and else after its owner and name. */
function split(rest: string, isFile: boolean): { path: string; directory: string } {
  const lead = rest.startsWith('/') ? '/' : '';
  const body = rest.slice(lead.length);
  const twice = body.indexOf('//');
  if (twice >= 0) return { path: lead + body.slice(0, twice), directory: body.slice(twice + 2) };
  const ends = /^(.*?\.git)(?:\/(.*))?$/.exec(body) ?? /^(.*?_git\/[^/]+)(?:\/(.*))?$/.exec(body);
  if (ends !== null) return { path: lead + (ends[1] ?? ''), directory: ends[2] ?? '' };
  if (isFile) return { path: lead + body, directory: '' };
  const [owner = '', name = '', ...below] = body.split('/');
  return { path: `${lead}${owner}/${name}`, directory: below.join('/') };
}

/** Where a directory of a repository lies in a copy. */
export function localizedRootPath(address: RepositoryAddress, inRepository: string): string {
  const path = joinPath('/', address.path.replace(/\.git$/, ''));
  const parts = [localizeDirectory, address.host, path.slice(1), address.ref ?? '', inRepository];
  return joinPath('/', parts.filter((part) => part !== '').join('/')).slice(1);
}

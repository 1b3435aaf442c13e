import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GitOpsError } from '../gitops-error.ts';

/** A URL without the name and the password in it, as it may be shown. */
export function shownUrl(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}

/** @throws GitOpsError for anything but https, http, ssh, and file where that is allowed */
export function checkGitUrl(url: string, allowsFile: boolean): void {
  const scheme = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase();
  const isKnown = scheme === 'https' || scheme === 'http' || scheme === 'ssh';
  if (isKnown && !/^[a-z]+:\/\/-/i.test(url)) {
    new URL(url);
    return;
  }
  if (scheme === 'file') {
    if (allowsFile) return void localPath(url);
    throw new GitOpsError('WG_GITOPS_CONFIG', 'file:// URLs are not allowed here');
  }
  throw new GitOpsError('WG_GITOPS_CONFIG', `unsupported URL '${shownUrl(url)}'`);
}

/** The directory of a `file://` URL. */
export function localPath(url: string): string {
  const path = fileURLToPath(url);
  if (!isAbsolute(path)) throw new GitOpsError('WG_GITOPS_CONFIG', `'${url}' names no directory`);
  return path;
}

/** The URL of a submodule, which may be relative to that of the repository that it is in. */
export function submoduleUrl(base: string, url: string): string {
  if (!url.startsWith('./') && !url.startsWith('../')) return url;
  const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/]*)(\/.*)$/i.exec(base) ?? [];
  const parts = path.split('/').filter(Boolean);
  for (const part of url.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `${origin}/${parts.join('/')}`;
}

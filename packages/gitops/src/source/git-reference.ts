import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { KubeClient } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import type { GitReference, GitRepository } from '../api/source-objects.ts';
import type { FileEntry } from '../artifact/file-entry.ts';
import { FileTree } from '../artifact/file-tree.ts';
import { GitCheckout } from '../git/git-checkout.ts';
import { gitAccess } from '../git/git-credentials.ts';
import type { GitCall } from '../git/git-program.ts';
import { GitProgram } from '../git/git-program.ts';
import { GitRemote } from '../git/git-remote.ts';
import { checkGitUrl } from '../git/git-url.ts';
import { GitHubApps, isGitHubApp } from '../git/github-app.ts';
import { GitOpsError } from '../gitops-error.ts';
import { durationMs } from '../interval.ts';
import { SourceSecrets } from './source-secrets.ts';

export interface GitReadOptions {
  /** Reads the Secrets that the repository names, with the rights that it has. */
  readonly client: KubeClient;
  /** Where what was fetched is kept; whoever may read it may read the repository. */
  readonly directory: string;
  /** Lets the repository be one of this machine. */
  readonly allowFileUrls?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** What a repository can be looked at by. */
export interface GitReferenceNames {
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  /** Whole: `refs/pull/7/head`. */
  readonly pulls: readonly string[];
}

/**
 * Asks the remote of a GitRepository what references it has.
 *
 * ```ts
 * const fleet = await client.resource(gitRepositoryKind).get('fleet', { namespace: 'flux-system' });
 * const { branches, tags } = await gitReferenceNames(fleet, { client, directory: '/var/lib/waygate/git', signal });
 * ```
 */
export function gitReferenceNames(
  object: GitRepository,
  options: GitReadOptions,
): Promise<GitReferenceNames> {
  return withRemote(object, options, async (remote) => {
    const names = [...(await remote.list())];
    const below = (prefix: string): string[] =>
      names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return {
      branches: below('refs/heads/'),
      tags: below('refs/tags/'),
      pulls: names.filter((name) => /^refs\/(?:pull|merge-requests)\/\d+\/head$/.test(name)),
    };
  });
}

/**
 * The files of a GitRepository as a branch, a tag, another reference or a commit has them. Nothing is
 * stored but what git fetched.
 *
 * ```ts
 * const fleet = await client.resource(gitRepositoryKind).get('fleet', { namespace: 'flux-system' });
 * const options = { client, directory: '/var/lib/waygate/git', signal };
 * const { files, revision } = await gitReferenceFiles(fleet, 'refs/pull/7/head', options);
 * ```
 */
export function gitReferenceFiles(
  object: GitRepository,
  reference: string,
  options: GitReadOptions,
): Promise<{ readonly files: FileTree; readonly revision: string }> {
  return withRemote(object, options, async (remote, git, call) => {
    const commit = await remote.resolve(await meaningOf(remote, reference));
    const checkout = new GitCheckout(git, remote, call);
    const { ignore, sparseCheckout, recurseSubmodules } = object.spec;
    const selected = await checkout.select(commit, {
      rules: ignore,
      sparsePaths: sparseCheckout,
      recurseSubmodules,
      allowsFileUrls: options.allowFileUrls ?? false,
    });
    const files: FileEntry[] = [];
    for await (const file of checkout.read(selected)) files.push(file);
    return { files: FileTree.of(files), revision: commit.revision };
  });
}

/** A short name is a branch before it is a tag. */
async function meaningOf(remote: GitRemote, reference: string): Promise<GitReference> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(reference)) return { commit: reference };
  if (reference.startsWith('refs/')) return { name: reference };
  const names = await remote.list();
  if (names.has(`refs/heads/${reference}`)) return { branch: reference };
  // What is in a repository that is empty is told by whoever resolves it.
  if (names.size === 0 || names.has(`refs/tags/${reference}`)) return { tag: reference };
  throw new GitOpsError(
    'WG_GITOPS_GIT',
    `there is no branch and no tag ${JSON.stringify(reference)}; other references begin with refs/, and commits have all their letters`,
  );
}

async function withRemote<T>(
  { metadata, spec }: GitRepository,
  { client, directory, allowFileUrls = false, signal }: GitReadOptions,
  work: (remote: GitRemote, git: GitProgram, call: GitCall) => Promise<T>,
): Promise<T> {
  checkGitUrl(spec.url, allowFileUrls);
  const secrets = new SourceSecrets(client);
  const { namespace = '', uid = '' } = metadata;
  const proxy = await secrets.read(namespace, spec.proxySecretRef?.name, signal);
  const named = await secrets.read(namespace, spec.secretRef?.name, signal);
  const secret =
    named !== undefined && isGitHubApp(named)
      ? await new GitHubApps(systemClock).credentials(named, proxy, signal)
      : named;
  const access = await gitAccess(spec.url, secret, proxy);
  try {
    const call = { ...access.call, timeoutMs: durationMs(spec.timeout, 60_000), signal };
    const git = new GitProgram(
      allowFileUrls ? { protocols: ['https', 'http', 'ssh', 'file'] } : {},
    );
    // Each its own, so that two that are looked at at once do not meet in one store.
    const store = createHash('sha256').update(`${uid} ${spec.url}`).digest('hex').slice(0, 32);
    const remote = new GitRemote(git, spec.url, join(directory, store), call);
    await remote.open();
    return await work(remote, git, call);
  } finally {
    await access[Symbol.asyncDispose]();
  }
}

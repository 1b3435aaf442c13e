import { createHash } from 'node:crypto';
import type { GitReference } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import { latestVersions } from '../version/latest-version.ts';
import { type GitCall, GitFailure, type GitProgram } from './git-program.ts';
import { GitStore } from './git-store.ts';
import { shownUrl } from './git-url.ts';
import { explainGitWords, isDiskTrouble } from './git-words.ts';

/** A commit that a reference was found to mean. */
export interface ResolvedCommit {
  readonly sha: string;
  /** `main@sha1:<sha>`. */
  readonly revision: string;
  /** What to fetch to have it. */
  readonly reference: string | undefined;
  /** The object of an annotated tag, when that is what the reference is. */
  readonly tagObject?: string | undefined;
}

interface RemoteReference {
  /** The object itself: for an annotated tag, the tag. */
  readonly object: string;
  readonly commit: string;
}

/** The empty repository of somebody who has not pushed yet. */
export class EmptyRepositoryError extends Error {
  override readonly name = 'EmptyRepositoryError';
}

const shaPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * One remote repository, with a store of its objects on this machine.
 *
 * ```ts
 * const remote = new GitRemote(new GitProgram(), 'https://git.test/acme/fleet', '/var/lib/waygate/git/fleet', { signal });
 * await remote.open();
 * const { sha } = await remote.resolve({ branch: 'main' });
 * ```
 */
export class GitRemote {
  readonly url: string;
  readonly store: GitStore;
  readonly #git: GitProgram;
  readonly #call: GitCall;
  /** What was had from it before, if anything: then it is only asked whether there is more. */
  readonly #knownRevision: string | undefined;

  /** The store is a directory of its own, or that of another remote. */
  constructor(
    git: GitProgram,
    url: string,
    store: string | GitStore,
    call: GitCall,
    knownRevision?: string | undefined,
  ) {
    this.#knownRevision = knownRevision;
    this.#git = git;
    this.url = url;
    this.#call = call;
    this.store = typeof store === 'string' ? new GitStore(git, store, call) : store;
  }

  /** Makes the store ready. That of another URL is thrown away. */
  async open(): Promise<void> {
    await this.store.open(createHash('sha256').update(this.url).digest('hex'));
  }

  /** The names of all its references. */
  async list(): Promise<ReadonlySet<string>> {
    return new Set((await this.#references([])).keys());
  }

  /** Finds the commit that a reference means, with one question to the remote where that will do. */
  async resolve(reference: GitReference | undefined): Promise<ResolvedCommit> {
    const { commit, name, tag, semver, branch } = reference ?? {};
    if (isSet(commit)) return this.#resolveCommit(commit, { name, branch });
    if (isSet(name)) return this.#resolveName(name);
    if (isSet(tag)) return this.#resolveExact(`refs/tags/${tag}`, tag);
    if (isSet(semver)) return this.#resolveVersion(semver);
    const wanted = isSet(branch) ? branch : 'master';
    return this.#resolveExact(`refs/heads/${wanted}`, wanted);
  }

  async #resolveExact(reference: string, shown: string): Promise<ResolvedCommit> {
    const asked = await this.#references([reference, `${reference}^{}`]);
    // An answer that says nothing at all may be what is left of one: then all are asked for.
    const all = asked.has(reference) ? asked : await this.#references([]);
    if (all.size === 0) throw new EmptyRepositoryError('git repository is empty');
    const found = all.get(reference);
    if (found !== undefined) return resolved(found, shown, reference);
    throw new GitOpsError(
      'WG_GITOPS_GIT',
      `unable to clone '${shownUrl(this.url)}': couldn't find remote ref "${reference}"`,
    );
  }

  async #resolveName(name: string): Promise<ResolvedCommit> {
    if (name.startsWith('/') || name.endsWith('/')) {
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `ref ${name} is invalid; Git refs cannot begin or end with a slash '/'`,
      );
    }
    if (name === 'HEAD') {
      // It names another reference, and which one is the server's to change: Flux takes it for none.
      const nothing = '0'.repeat(40);
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `unable to resolve commit object for '${nothing}': object not found`,
      );
    }
    // What an annotated tag is a tag of goes by a name of its own.
    const isPeeled = name.endsWith('^{}');
    const base = isPeeled ? name.slice(0, -3) : name;
    const found = (await this.#references([base, `${base}^{}`])).get(base);
    if (found === undefined || (isPeeled && found.object === found.commit)) {
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `unable to resolve ref '${name}' to a specific commit`,
      );
    }
    return resolved(found, name, base);
  }

  async #resolveVersion(constraint: string): Promise<ResolvedCommit> {
    latestVersions(['0.0.0'], constraint === '' ? '*' : checked(constraint));
    const references = await this.#references(['refs/tags/*']);
    const tags = [...references.keys()].map((one) => one.slice('refs/tags/'.length));
    const best = latestVersions(tags, constraint).map((tag) => ({
      tag,
      reference: `refs/tags/${tag}`,
      found: references.get(`refs/tags/${tag}`) as RemoteReference,
    }));
    let [chosen] = best as [(typeof best)[number]];
    let newest = Number.NEGATIVE_INFINITY;
    // Of tags with equal versions that whose commit is the newest.
    for (const one of best.length > 1 ? best : []) {
      const time = await this.#timeOf(resolved(one.found, one.tag, one.reference));
      if (time >= newest) [chosen, newest] = [one, time];
    }
    return resolved(chosen.found, chosen.tag, chosen.reference);
  }

  async #timeOf(commit: ResolvedCommit): Promise<number> {
    await this.bring(commit);
    return Number((await this.store.ask(['log', '-1', '--format=%ct', commit.sha])).toString());
  }

  async #resolveCommit(
    commit: string,
    { name, branch }: { name: string | undefined; branch: string | undefined },
  ): Promise<ResolvedCommit> {
    const notThere = () =>
      new GitOpsError(
        'WG_GITOPS_GIT',
        `unable to resolve commit object for '${commit}': object not found`,
      );
    if (!shaPattern.test(commit)) throw notThere();
    const shown = isSet(name) ? name : branch;
    const prefix = isSet(shown) ? `${shown}@` : '';
    const revision = `${prefix}${algorithmOf(commit)}:${commit}`;
    const found = { sha: commit, revision, reference: undefined };
    // A commit never becomes another: once it was found there, nobody has to be asked.
    if (revision === this.#knownRevision && (await this.store.has(commit))) return found;
    if (isSet(branch)) {
      const isThere = await this.#fetch([`refs/heads/${branch}`], [commit], false);
      if (!isThere || !(await this.#isAncestor(commit, 'FETCH_HEAD'))) throw notThere();
    } else if (!(await this.#fetchCommit(commit))) throw notThere();
    return found;
  }

  /** Many servers give any commit that they have; from others all branches are needed. */
  async #fetchCommit(commit: string): Promise<boolean> {
    try {
      if (await this.#fetch([commit], [commit])) return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    return this.#fetch(['+refs/heads/*:refs/remotes/origin/*'], [commit], false);
  }

  async #isAncestor(commit: string, of: string): Promise<boolean> {
    try {
      await this.store.ask(['merge-base', '--is-ancestor', commit, of]);
      return true;
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof GitFailure && cause.exitCode === 1) return false;
      throw error;
    }
  }

  /** Brings a commit into the store, with all that it needs, unless it is there. */
  async bring({ sha, tagObject, reference }: ResolvedCommit): Promise<void> {
    const wanted = tagObject === undefined ? [sha] : [sha, tagObject];
    const here = await Promise.all(wanted.map((one) => this.store.has(one)));
    if (here.every((isHere) => isHere)) return;
    if (reference !== undefined && (await this.#fetch([reference], wanted))) return;
    // The reference moved on meanwhile; the commit itself may still be had.
    if (await this.#fetchCommit(sha)) return;
    throw new GitOpsError(
      'WG_GITOPS_GIT',
      `unable to clone '${shownUrl(this.url)}': ${sha} is no longer there`,
    );
  }

  /** True when all that is wanted is here afterwards, whole. */
  async #fetch(
    references: readonly string[],
    wanted: readonly string[],
    isShallow = true,
  ): Promise<boolean> {
    try {
      const found = await this.store.receive({ url: this.url, references, isShallow }, wanted);
      return wanted.every((one) => found.has(one));
    } catch (error) {
      throw this.#explained(error, 'clone');
    }
  }

  async #references(patterns: readonly string[]): Promise<Map<string, RemoteReference>> {
    const args = ['ls-remote', '--quiet', '--', this.url, ...patterns];
    let text: string;
    try {
      text = await this.#git.text(args, { ...this.#call, directory: this.store.directory });
    } catch (error) {
      throw this.#explained(error, this.#knownRevision === undefined ? 'clone' : 'list remote for');
    }
    const found = new Map<string, RemoteReference>();
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [sha = '', name = ''] = line.split('\t');
      if (!shaPattern.test(sha) || name === '') {
        const message = `unable to list remote for '${shownUrl(this.url)}': its references cannot be read`;
        throw new GitOpsError('WG_GITOPS_GIT', message);
      }
      const peeled = name.endsWith('^{}') ? name.slice(0, -3) : undefined;
      if (peeled === undefined) found.set(name, { object: sha, commit: sha });
      else found.set(peeled, { object: found.get(peeled)?.object ?? sha, commit: sha });
    }
    return found;
  }

  /** Says what git could not do, without what is secret in the URL. */
  #explained(error: unknown, action: string): unknown {
    if (!(error instanceof GitFailure)) return error;
    const said = explainGitWords(error.standardError, this.url);
    const code = isDiskTrouble(error.standardError) ? 'WG_GITOPS_STORAGE' : 'WG_GITOPS_GIT';
    const message = `unable to ${action} '${shownUrl(this.url)}': ${said}`;
    return new GitOpsError(code, message, { cause: error });
  }
}

/** Not every server gives a commit to those who ask for it by its name. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GitOpsError) || error.code === 'WG_GITOPS_STORAGE') return false;
  return error.cause instanceof GitFailure && error.cause.kind === 'exit';
}

function checked(constraint: string): string {
  // Only the syntax is of interest here: what no tag satisfies is found out with the tags.
  try {
    latestVersions(['0.0.0'], constraint);
  } catch (error) {
    if (error instanceof GitOpsError && error.message.startsWith('semver parse error')) throw error;
  }
  return '*';
}

function resolved(found: RemoteReference, shown: string, reference: string): ResolvedCommit {
  const { commit, object } = found;
  return {
    sha: commit,
    revision: `${shown}@${algorithmOf(commit)}:${commit}`,
    reference,
    ...(object === commit ? {} : { tagObject: object }),
  };
}

function algorithmOf(sha: string): string {
  return sha.length === 64 ? 'sha256' : 'sha1';
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

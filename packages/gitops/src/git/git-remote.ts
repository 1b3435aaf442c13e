import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitReference } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import { latestVersions } from '../version/latest-version.ts';
import { type GitCall, GitFailure, type GitProgram } from './git-program.ts';
import { shownUrl } from './git-url.ts';
import { explainGitWords } from './git-words.ts';

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

/** A store that was fetched into this often starts anew. */
const maxFetches = 500;

const shaPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** One remote repository, with a store of its objects on this machine. */
export class GitRemote {
  readonly url: string;
  readonly directory: string;
  private readonly git: GitProgram;
  private readonly call: GitCall;
  /** What was had from it before, if anything: then it is only asked whether there is more. */
  private readonly knownRevision: string | undefined;

  constructor(
    git: GitProgram,
    url: string,
    directory: string,
    call: GitCall,
    knownRevision?: string | undefined,
  ) {
    this.knownRevision = knownRevision;
    this.git = git;
    this.url = url;
    this.directory = directory;
    this.call = { ...call, directory };
  }

  /**
   * Makes the store, unless it is there. That of another URL is thrown away, and so is one that was
   * fetched into often: commits of the past lie in it, and nobody asks for them again.
   */
  async open(): Promise<void> {
    const identity = createHash('sha256').update(this.url).digest('hex');
    let known: string | undefined;
    try {
      known = await readFile(this.ledger, 'utf8');
    } catch {
      // There is none yet, or a crash left half of one.
    }
    const fetches = (known?.length ?? 0) - identity.length;
    if (known?.startsWith(identity) && fetches < maxFetches) return;
    await this.reset();
  }

  /** Throws the store away: a broken one costs a fetch, not a source. */
  async reset(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await this.git.text(['init', '--quiet', '--bare', '.'], this.call);
    await writeFile(this.ledger, createHash('sha256').update(this.url).digest('hex'));
  }

  /** Whose store it is, not in plain words since there may be a password in them, and a dot for each fetch. */
  private get ledger(): string {
    return join(this.directory, 'waygate-ledger');
  }

  /** Finds the commit that a reference means, with one question to the remote where that will do. */
  async resolve(reference: GitReference | undefined): Promise<ResolvedCommit> {
    const { commit, name, tag, semver, branch } = reference ?? {};
    if (isSet(commit)) return this.resolveCommit(commit, { name, branch });
    if (isSet(name)) return this.resolveName(name);
    if (isSet(tag)) return this.resolveExact(`refs/tags/${tag}`, tag);
    if (isSet(semver)) return this.resolveVersion(semver);
    const wanted = isSet(branch) ? branch : 'master';
    return this.resolveExact(`refs/heads/${wanted}`, wanted);
  }

  private async resolveExact(reference: string, shown: string): Promise<ResolvedCommit> {
    const found = (await this.references([reference, `${reference}^{}`])).get(reference);
    if (found === undefined) {
      if (await this.isEmpty()) throw new EmptyRepositoryError('git repository is empty');
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `unable to clone '${shownUrl(this.url)}': couldn't find remote ref "${reference}"`,
      );
    }
    return resolved(found, shown, reference);
  }

  private async resolveName(name: string): Promise<ResolvedCommit> {
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
    const found = (await this.references([base, `${base}^{}`])).get(base);
    if (found === undefined || (isPeeled && found.object === found.commit)) {
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `unable to resolve ref '${name}' to a specific commit`,
      );
    }
    return resolved(found, name, base);
  }

  private async resolveVersion(constraint: string): Promise<ResolvedCommit> {
    latestVersions(['0.0.0'], constraint === '' ? '*' : checked(constraint));
    const references = await this.references(['refs/tags/*']);
    const tags = [...references.keys()].map((one) => one.slice('refs/tags/'.length));
    const best = latestVersions(tags, constraint);
    let chosen = best[0] as string;
    if (best.length > 1) chosen = await this.newestTag(best);
    const reference = `refs/tags/${chosen}`;
    return resolved(references.get(reference) as RemoteReference, chosen, reference);
  }

  /** Of tags with equal versions that whose commit is the newest. */
  private async newestTag(tags: readonly string[]): Promise<string> {
    let newest = { tag: tags[0] as string, time: Number.NEGATIVE_INFINITY };
    for (const tag of tags) {
      await this.fetch([`refs/tags/${tag}`]);
      const text = await this.git.text(
        ['log', '-1', '--format=%ct', 'FETCH_HEAD^{commit}'],
        this.call,
      );
      const time = Number(text.trim());
      if (time >= newest.time) newest = { tag, time };
    }
    return newest.tag;
  }

  private async resolveCommit(
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
    if (revision === this.knownRevision && (await this.hasCommit(commit))) return found;
    if (isSet(branch)) {
      await this.fetch([`refs/heads/${branch}`], false);
      if (!(await this.isAncestor(commit, 'FETCH_HEAD'))) throw notThere();
    } else if (!(await this.fetchCommit(commit))) throw notThere();
    return found;
  }

  /** Many servers give any commit that they have; from others all branches are needed. */
  private async fetchCommit(commit: string): Promise<boolean> {
    try {
      await this.fetch([commit]);
      return true;
    } catch (error) {
      if (!(error instanceof GitOpsError)) throw error;
    }
    await this.fetch(['+refs/heads/*:refs/remotes/origin/*'], false);
    return this.hasCommit(commit);
  }

  private async hasCommit(commit: string): Promise<boolean> {
    return this.hasObject(commit, 'commit');
  }

  private async hasObject(sha: string, type: 'commit' | 'tag'): Promise<boolean> {
    return this.succeeds(['cat-file', '-e', `${sha}^{${type}}`]);
  }

  private async isAncestor(commit: string, of: string): Promise<boolean> {
    return (
      (await this.hasCommit(commit)) &&
      (await this.succeeds(['merge-base', '--is-ancestor', commit, of]))
    );
  }

  private async succeeds(args: readonly string[]): Promise<boolean> {
    try {
      await this.git.text(args, this.call);
      return true;
    } catch (error) {
      if (error instanceof GitFailure) return false;
      throw error;
    }
  }

  /** Brings a commit into the store, unless it is there. */
  async bring(resolved: ResolvedCommit): Promise<void> {
    const { sha, tagObject } = resolved;
    const hasTag = async () => tagObject === undefined || (await this.hasObject(tagObject, 'tag'));
    if ((await this.hasCommit(sha)) && (await hasTag())) return;
    await this.fetch([resolved.reference ?? sha]);
    if ((await this.hasCommit(sha)) && (await hasTag())) return;
    // The reference moved on meanwhile; the commit itself may still be had.
    if (!(await this.fetchCommit(resolved.sha))) {
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `unable to clone '${shownUrl(this.url)}': ${resolved.sha} is no longer there`,
      );
    }
  }

  private async fetch(references: readonly string[], isShallow = true): Promise<void> {
    try {
      await this.fetchOnce(references, isShallow);
    } catch (error) {
      if (!(error instanceof GitFailure) || !isBrokenStore(error)) {
        throw this.explained(error, 'clone');
      }
      // A kill in the middle of a fetch may leave locks and halves behind.
      await this.reset();
      await this.fetchOnce(references, isShallow).catch((again: unknown) => {
        throw this.explained(again, 'clone');
      });
    }
  }

  private async fetchOnce(references: readonly string[], isShallow: boolean): Promise<void> {
    const depth = isShallow ? ['--depth=1'] : (await this.isShallow()) ? ['--unshallow'] : [];
    await this.git.text(
      ['fetch', '--quiet', '--no-tags', '--force', ...depth, '--', this.url, ...references],
      this.call,
    );
    await appendFile(this.ledger, '.');
  }

  private async isShallow(): Promise<boolean> {
    const answer = await this.git.text(['rev-parse', '--is-shallow-repository'], this.call);
    return answer.trim() === 'true';
  }

  private async isEmpty(): Promise<boolean> {
    return (await this.references([])).size === 0;
  }

  private async references(patterns: readonly string[]): Promise<Map<string, RemoteReference>> {
    let text: string;
    try {
      text = await this.git.text(['ls-remote', '--quiet', '--', this.url, ...patterns], this.call);
    } catch (error) {
      throw this.explained(error, this.knownRevision === undefined ? 'clone' : 'list remote for');
    }
    const found = new Map<string, RemoteReference>();
    for (const line of text.split('\n')) {
      const [sha = '', name = ''] = line.split('\t');
      if (!shaPattern.test(sha)) continue;
      const peeled = name.endsWith('^{}') ? name.slice(0, -3) : undefined;
      if (peeled === undefined) found.set(name, { object: sha, commit: sha });
      else found.set(peeled, { object: found.get(peeled)?.object ?? sha, commit: sha });
    }
    return found;
  }

  /** Says what git could not do, without what is secret in the URL. */
  private explained(error: unknown, action: string): unknown {
    if (!(error instanceof GitFailure)) return error;
    const said = explainGitWords(error.standardError, this.url);
    return new GitOpsError(
      'WG_GITOPS_GIT',
      `unable to ${action} '${shownUrl(this.url)}': ${said}`,
      { cause: error },
    );
  }
}

/** What git says about a store of its own that it cannot use. */
function isBrokenStore({ standardError }: GitFailure): boolean {
  return /\.lock': File exists|object file .* is empty|loose object .* is corrupt|bad object|not a git repository \(|packfile .* (cannot|is)|unable to read/i.test(
    standardError,
  );
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

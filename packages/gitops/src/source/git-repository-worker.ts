import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@waygate/runtime';
import { equalJson } from '@waygate/text';
import type { SecretData } from '../api/secret-data.ts';
import type { Artifact, GitRepository, GitRepositoryStatus } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { compareWalkOrder, type FileEntry } from '../artifact/file-entry.ts';
import { type ListedFile, lostMost } from '../artifact/file-list.ts';
import { GitCheckout } from '../git/git-checkout.ts';
import { gitAccess, type SshAlgorithms } from '../git/git-credentials.ts';
import type { GitCall, GitProgram } from '../git/git-program.ts';
import { EmptyRepositoryError, GitRemote, type ResolvedCommit } from '../git/git-remote.ts';
import { DamagedStoreError } from '../git/git-store.ts';
import type { TreeFile } from '../git/git-tree.ts';
import { checkGitUrl } from '../git/git-url.ts';
import { GitHubApps, isGitHubApp } from '../git/github-app.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { durationMs } from '../interval.ts';
import { includedFiles, missingInclude } from './git-includes.ts';
import { verifyCommit } from './git-verification.ts';
import { SourceFailure, storageFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';
import type { SourceOutcome, SourceWorker } from './source-reconciler.ts';
import { SecretUnavailable, type SourceSecrets } from './source-secrets.ts';

interface GitRepositoryWorkerOptions {
  readonly secrets: SourceSecrets;
  readonly repositoryOf: (key: string) => GitRepository | undefined;
  readonly storage: ArtifactStorage;
  readonly fetcher: ArtifactFetcher;
  readonly git: GitProgram;
  readonly allowsFileUrls: boolean;
  readonly sshAlgorithms?: SshAlgorithms | undefined;
  readonly clock: Clock;
}

type Pass = SourcePass<GitRepositoryStatus>;

/** What a commit has for the artifact, and who can read it. */
interface CheckedOut {
  readonly files: readonly TreeFile[];
  readonly checkout: GitCheckout;
  /** Fetches anew; throws unless that gives the same files. */
  readonly lookAgain: () => Promise<void>;
}

/** Keeps the artifact of a GitRepository at what its reference means. */
export class GitRepositoryWorker implements SourceWorker<GitRepository, GitRepositoryStatus> {
  readonly kind = 'GitRepository';
  readonly #options: GitRepositoryWorkerOptions;
  readonly #apps: GitHubApps;

  constructor(options: GitRepositoryWorkerOptions) {
    this.#options = options;
    this.#apps = new GitHubApps(options.clock);
  }

  async update(object: GitRepository, pass: Pass, signal: AbortSignal): Promise<SourceOutcome> {
    const { spec, metadata } = object;
    const { namespace = '' } = metadata;
    refuseUnsupported(object, this.#options.allowsFileUrls);
    const proxy = await this.#options.secrets.read(namespace, spec.proxySecretRef?.name, signal);
    const secret = await this.#secret(object, proxy, signal);
    const access = await gitAccess(spec.url, secret, proxy, this.#options.sshAlgorithms);
    const timeoutMs = durationMs(spec.timeout, 60_000);
    try {
      return await this.#updateBy({ ...access.call, timeoutMs, signal }, object, pass);
    } finally {
      await access[Symbol.asyncDispose]();
    }
  }

  async #updateBy(
    call: GitCall & { signal: AbortSignal },
    object: GitRepository,
    pass: Pass,
  ): Promise<SourceOutcome> {
    const { spec } = object;
    this.#checkIncludes(object, pass);
    const known = pass.status.artifact?.revision;
    const remote = new GitRemote(this.#options.git, spec.url, this.#cacheOf(object), call, known);
    await remote.open();
    try {
      return await this.#updateFrom(object, pass, remote, call);
    } catch (error) {
      if (!(error instanceof DamagedStoreError)) throw error;
      // A store is only kept for what it saves: a damaged one costs a fetch, not a source.
      await remote.store.reset();
      return this.#updateFrom(object, pass, remote, call);
    }
  }

  async #updateFrom(
    object: GitRepository,
    pass: Pass,
    remote: GitRemote,
    call: GitCall & { signal: AbortSignal },
  ): Promise<SourceOutcome> {
    const { spec, metadata } = object;
    const commit = await remote.resolve(spec.ref);
    const stored = `stored artifact for revision '${commit.revision}'`;
    const mustVerify = needsVerification(object, pass, commit);
    if (!mustVerify && this.#isUnchanged(object, pass, commit)) {
      return {
        stored,
        event: `stored artifact for commit '${commit.revision}'`,
        unchanged: {
          reason: 'GitOperationSucceeded',
          message: `no changes since last reconciliation: observed revision '${commit.revision}'`,
        },
      };
    }
    const checkout = new GitCheckout(this.#options.git, remote, call);
    const options = {
      rules: spec.ignore,
      sparsePaths: spec.sparseCheckout,
      recurseSubmodules: spec.recurseSubmodules,
      allowsFileUrls: this.#options.allowsFileUrls,
    };
    const files = await checkout.select(commit, options);
    const keys = async () =>
      (await this.#options.secrets.read(
        metadata.namespace ?? '',
        spec.verify?.secretRef.name,
        call.signal,
      )) ?? {};
    await verifyCommit(object, pass, commit, checkout, keys);
    const { subject, author, committedMs } = await checkout.about(commit.sha);
    pass.committedMs = committedMs;
    const event = `stored artifact for commit '${shortened(subject)}'`;
    if (this.#isUnchanged(object, pass, commit)) return { stored, event, author };
    const lookAgain = async () => {
      await remote.store.reset();
      if (equalJson(await checkout.select(commit, options), files)) return;
      throw new DamagedStoreError('it did not have all files');
    };
    await this.#publish(object, pass, commit, { files, checkout, lookAgain }, call.signal);
    return { stored, event, author };
  }

  explain(error: unknown): SourceFailure {
    const message = messageOf(error);
    if (error instanceof EmptyRepositoryError) {
      return new SourceFailure('FetchFailed', 'EmptyGitRepository', message, { cause: error });
    }
    const code = error instanceof GitOpsError ? error.code : undefined;
    if (code === 'WG_GITOPS_AUTH' || error instanceof SecretUnavailable) {
      return new SourceFailure('FetchFailed', 'AuthenticationFailed', message, { cause: error });
    }
    if (code === 'WG_GITOPS_ARCHIVE') {
      const said = `unable to archive artifact to storage: ${message}`;
      return new SourceFailure('StorageOperationFailed', 'ArchiveOperationFailed', said, {
        cause: error,
      });
    }
    const disk = storageFailure(error);
    if (disk !== undefined) return disk;
    // A token may have been taken back before its time.
    if (message.includes('authentication required')) this.#apps.clear();
    const said = message.startsWith('failed to ')
      ? message
      : `failed to checkout and determine revision: ${message}`;
    return new SourceFailure('FetchFailed', 'GitOperationFailed', said, { cause: error });
  }

  async forget(object: GitRepository): Promise<void> {
    await rm(this.#cacheOf(object), { recursive: true, force: true });
  }

  /** What git signs in with: the Secret as it is, or a token of the app that it describes. */
  async #secret(
    { metadata, spec }: GitRepository,
    proxy: SecretData | undefined,
    signal: AbortSignal,
  ): Promise<SecretData | undefined> {
    const { namespace = '' } = metadata;
    const name = spec.secretRef?.name;
    let secret: SecretData | undefined;
    try {
      secret = await this.#options.secrets.read(namespace, name, signal);
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error;
      // Said twice, as Flux says it.
      const message = `failed to get secret '${namespace}/${name}': ${error.message}`;
      throw new SourceFailure('FetchFailed', 'AuthenticationFailed', message, { cause: error });
    }
    const misfit = (message: string) =>
      new SourceFailure('FetchFailed', 'InvalidProviderConfiguration', message);
    if (spec.provider === 'github') {
      if (secret !== undefined && isGitHubApp(secret)) {
        return this.#apps.credentials(secret, proxy, signal);
      }
      throw misfit(
        `secretRef '${namespace}/${name}' has no github app data but provider is set to github`,
      );
    }
    if (!isGitHubApp(secret)) return secret;
    throw misfit(
      `secretRef '${namespace}/${name}' has github app data but provider is not set to github`,
    );
  }

  /** Other repositories whose files are wanted must have an artifact; another one of theirs makes ours outdated. */
  #checkIncludes(object: GitRepository, pass: Pass): void {
    const missing = missingInclude(object, this.#options.repositoryOf);
    if (missing !== undefined) {
      const { reason, message } = missing;
      throw new SourceFailure('IncludeUnavailable', reason, message, { retry: 'dependency' });
    }
    const known = pass.status.includedArtifacts;
    const now = this.#includeDigests(object);
    if (equalJson(now, (known ?? []).map(digestOf))) return;
    const message = 'included artifacts differ from last observed includes';
    if (known === undefined) pass.progress(`building artifact: ${message}`);
    else pass.outdate('IncludeChange', message);
  }

  async #publish(
    object: GitRepository,
    pass: Pass,
    commit: ResolvedCommit,
    { files, checkout, lookAgain }: CheckedOut,
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, fetcher, repositoryOf } = this.#options;
    const { name = '', namespace = '' } = object.metadata;
    if (pass.status.artifact?.revision !== commit.revision) {
      pass.outdate('NewRevision', `new upstream revision '${commit.revision}'`);
    }
    const included = await includedFiles(object, repositoryOf, fetcher, signal);
    const expected = mergedList(files, included.files);
    // So much less is looked at twice, the second time without what was here.
    if (lostMost(pass.status.artifact, expected.length)) await lookAgain();
    const artifact = await storage.publish(
      { kind: this.kind, namespace, name, file: commit.sha },
      commit.revision,
      mergedFiles(checkout.read(files), included.files),
      { expected },
    );
    const old = pass.status.artifact;
    // Many Kustomizations wait for this: the same bytes are the same artifact.
    const isSame = old?.digest === artifact.digest && old.revision === artifact.revision;
    pass.status.artifact = isSame ? { ...artifact, lastUpdateTime: old.lastUpdateTime } : artifact;
    observe(object, pass.status, included.artifacts);
  }

  #isUnchanged(object: GitRepository, { status }: Pass, commit: ResolvedCommit): boolean {
    const { spec } = object;
    if (status.artifact?.revision !== commit.revision) return false;
    return (
      (spec.ignore ?? '') === (status.observedIgnore ?? '') &&
      (spec.recurseSubmodules ?? false) === (status.observedRecurseSubmodules ?? false) &&
      equalJson(spec.include ?? [], status.observedInclude ?? []) &&
      equalJson(spec.sparseCheckout ?? [], status.observedSparseCheckout ?? []) &&
      equalJson(this.#includeDigests(object), (status.includedArtifacts ?? []).map(digestOf))
    );
  }

  #includeDigests({ metadata, spec }: GitRepository): (string | undefined)[] {
    return (spec.include ?? []).map(
      ({ repository }) =>
        this.#options.repositoryOf(`${metadata.namespace}/${repository.name}`)?.status?.artifact
          ?.digest,
    );
  }

  /** Objects of git live on between fetches. */
  #cacheOf({ metadata }: GitRepository): string {
    const name = createHash('sha256').update(`${metadata.namespace}/${metadata.name}`);
    return join(this.#options.storage.directory, '.git-objects', name.digest('hex').slice(0, 32));
  }
}

function digestOf({ digest }: Artifact): string {
  return digest;
}

/** A signature is looked at for each commit once, and again when the spec says something else of it. */
function needsVerification(
  { spec }: GitRepository,
  { status, conditions, generation }: Pass,
  commit: ResolvedCommit,
): boolean {
  if (spec.verify === undefined) {
    conditions.remove('SourceVerified');
    delete status.sourceVerificationMode;
    return false;
  }
  const verified = conditions.get('SourceVerified');
  return (
    status.artifact?.revision !== commit.revision ||
    verified?.status !== 'True' ||
    verified.observedGeneration !== generation
  );
}

/** What the artifact was made with, so that a change of it is seen. */
function observe(
  { spec }: GitRepository,
  status: GitRepositoryStatus,
  included: readonly Artifact[],
): void {
  delete status.observedIgnore;
  delete status.observedRecurseSubmodules;
  delete status.observedInclude;
  delete status.observedSparseCheckout;
  delete status.includedArtifacts;
  if (spec.ignore !== undefined) status.observedIgnore = spec.ignore;
  if (spec.recurseSubmodules === true) status.observedRecurseSubmodules = true;
  if (spec.include !== undefined) status.observedInclude = spec.include;
  if (spec.sparseCheckout !== undefined) status.observedSparseCheckout = spec.sparseCheckout;
  if (included.length > 0) status.includedArtifacts = [...included];
}

async function* mergedFiles(
  files: AsyncIterable<FileEntry>,
  included: readonly FileEntry[],
): AsyncGenerator<FileEntry> {
  if (included.length === 0) {
    yield* files;
    return;
  }
  const all = new Map<string, FileEntry>();
  for await (const file of files) all.set(file.path, file);
  for (const file of included) all.set(file.path, file);
  yield* [...all.values()].sort((left, right) => compareWalkOrder(left.path, right.path));
}

/** What has to be in the artifact, as the tree of the commit says, and not what was read of it. */
function mergedList(files: readonly TreeFile[], included: readonly FileEntry[]): ListedFile[] {
  const all = new Map<string, number>();
  for (const { path, size } of files) all.set(path, size);
  for (const { path, content } of included) all.set(path, content.length);
  return [...all].map(([path, size]) => ({ path, size }));
}

/** What a source asks for that is not there is refused, never passed over. */
function refuseUnsupported({ spec }: GitRepository, allowsFileUrls: boolean): void {
  const refuse = (reason: string, message: string) =>
    new SourceFailure('FetchFailed', reason, message, { retry: 'never' });
  try {
    checkGitUrl(spec.url, allowsFileUrls);
  } catch (error) {
    throw refuse('URLInvalid', messageOf(error));
  }
  const { provider = 'generic' } = spec;
  if (provider === 'generic' || (provider === 'github' && spec.secretRef !== undefined)) return;
  throw refuse(
    'InvalidProviderConfiguration',
    provider === 'github'
      ? 'secretRef with github app data must be specified when provider is set to github'
      : `the provider '${provider}' is not supported: use a Secret with credentials`,
  );
}

function shortened(subject: string): string {
  const characters = [...subject];
  return characters.length > 50 ? `${characters.slice(0, 50).join('')}...` : subject;
}

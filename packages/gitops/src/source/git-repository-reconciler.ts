import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound, type KubeClient } from '@waygate/kube';
import {
  type Clock,
  done,
  type EventRecorder,
  failed,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
} from '@waygate/runtime';
import { equalJson, kinds } from '@waygate/schema';
import type { Artifact, GitRepository, GitRepositoryStatus } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import { compareWalkOrder, type FileEntry } from '../artifact/file-entry.ts';
import { GitCheckout } from '../git/git-checkout.ts';
import { gitAccess, type SecretData } from '../git/git-credentials.ts';
import type { GitProgram } from '../git/git-program.ts';
import { EmptyRepositoryError, GitRemote, type ResolvedCommit } from '../git/git-remote.ts';
import { checkGitUrl } from '../git/git-url.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { durationMs, jittered } from '../interval.ts';
import type { OwnObjects } from '../own-objects.ts';
import { ProgressWriter } from '../progress-writer.ts';
import { includedFiles, missingInclude } from './git-includes.ts';
import { SourcePass } from './source-pass.ts';

export interface GitRepositoryReconcilerOptions {
  readonly client: KubeClient;
  readonly objects: OwnObjects<GitRepository>;
  readonly storage: ArtifactStorage;
  readonly fetcher: ArtifactFetcher;
  readonly git: GitProgram;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: () => number;
  readonly allowsFileUrls: boolean;
  readonly jitter: number;
  readonly requeueDependencyMs: number;
}

type Pass = SourcePass<GitRepositoryStatus>;

/** Keeps the artifact of a GitRepository at what its reference means. */
export class GitRepositoryReconciler {
  private readonly options: GitRepositoryReconcilerOptions;

  constructor(options: GitRepositoryReconcilerOptions) {
    this.options = options;
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { objects, clock } = this.options;
    let object = objects.get(key);
    if (object === undefined) return done;
    if (object.metadata.deletionTimestamp !== undefined) return this.remove(object, signal);
    object = await objects.addFinalizer(object, signal);
    const pass: Pass = new SourcePass(object, () => clock.now());
    if (object.spec.suspend === true) return done;
    const unsupported = unsupportedField(object, this.options.allowsFileUrls);
    if (unsupported !== undefined) {
      pass.stall(unsupported.reason, unsupported.message);
      this.tell(object, 'Warning', unsupported.reason, unsupported.message);
      await objects.writeStatus(object, pass.result(), signal);
      return failed(new GitOpsError('WG_GITOPS_CONFIG', unsupported.message));
    }
    return this.update(object, pass, signal);
  }

  private async update(
    object: GitRepository,
    pass: Pass,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { objects, storage, clock, requeueDependencyMs } = this.options;
    await this.checkStorage(object, pass);
    const missing = missingInclude(object, (name) => objects.get(name)?.status?.artifact);
    if (missing !== undefined) {
      pass.fail('IncludeUnavailable', missing.reason, missing.message);
      this.tell(object, 'Warning', missing.reason, missing.message);
      await objects.writeStatus(object, pass.result(), signal);
      return requeueAfter(requeueDependencyMs);
    }
    pass.conditions.remove('IncludeUnavailable');
    const writer = new ProgressWriter(objects, object, () => pass.result(), clock);
    try {
      await this.fetch(object, pass, signal);
    } catch (error) {
      await writer.stop();
      signal.throwIfAborted();
      const { type, reason } = classified(error);
      const message = `${prefixOf(reason)}${messageOf(error)}`;
      pass.fail(type, reason, message);
      this.tell(object, 'Warning', reason, message);
      await writer.finish(pass.result(), signal);
      throw error;
    }
    await writer.finish(pass.result(), signal);
    const { artifact } = pass.status;
    const removed = await storage.collectGarbage(nameOf(object), artifact?.path ?? '');
    if (removed > 0) {
      const message = `garbage collected ${removed} artifacts`;
      this.tell(object, 'Normal', 'GarbageCollectionSucceeded', message);
    }
    const interval = durationMs(object.spec.interval, 600_000);
    return requeueAfter(jittered(interval, this.options.jitter, this.options.random));
  }

  /** An artifact that is no longer on disk is made again, and its address is that of this server. */
  private async checkStorage(object: GitRepository, pass: Pass): Promise<void> {
    const { storage } = this.options;
    const { artifact } = pass.status;
    if (artifact === undefined) {
      pass.progress('building artifact');
      return;
    }
    const state = await storage.verify(artifact);
    if (state === 'ok') {
      pass.status.artifact = { ...artifact, url: storage.urlOf(artifact.path) };
      return;
    }
    if (state === 'mismatch') {
      const message = `failed to verify integrity of artifact: the digest of '${artifact.path}' differs`;
      this.tell(object, 'Warning', 'ArtifactVerificationFailed', message);
    }
    delete pass.status.artifact;
    pass.progress('building artifact: disappeared from storage');
  }

  private async fetch(object: GitRepository, pass: Pass, signal: AbortSignal): Promise<void> {
    const { spec } = object;
    const timeoutMs = durationMs(spec.timeout, 60_000);
    const secret = await this.secret(object, spec.secretRef?.name, signal);
    const proxy = await this.secret(object, spec.proxySecretRef?.name, signal);
    await using access = await gitAccess(spec.url, secret, proxy);
    const call = { ...access.call, timeoutMs, signal };
    const remote = new GitRemote(this.options.git, spec.url, this.cacheOf(object), call);
    await remote.open();
    const commit = await remote.resolve(spec.ref);
    if (this.isUnchanged(object, pass, commit)) {
      const message = `stored artifact for revision '${commit.revision}'`;
      pass.succeed(message);
      if (pass.isRequested) {
        const said = `no changes since last reconciliation: observed revision '${commit.revision}'`;
        this.tell(object, 'Normal', 'GitOperationSucceeded', said);
      }
      return;
    }
    await this.publish(
      object,
      pass,
      new GitCheckout(this.options.git, remote, call),
      commit,
      signal,
    );
  }

  private async publish(
    object: GitRepository,
    pass: Pass,
    checkout: GitCheckout,
    commit: ResolvedCommit,
    signal: AbortSignal,
  ): Promise<void> {
    const { spec, status } = object;
    const { storage, objects, fetcher } = this.options;
    pass.progress(`building artifact: new upstream revision '${commit.revision}'`);
    const files = await checkout.select(commit, {
      rules: spec.ignore,
      sparsePaths: spec.sparseCheckout,
      recurseSubmodules: spec.recurseSubmodules,
      allowsFileUrls: this.options.allowsFileUrls,
    });
    const artifactOf = (name: string) => objects.get(name)?.status?.artifact;
    const included = await includedFiles(object, artifactOf, fetcher, signal);
    const content = mergedFiles(checkout.read(files), included.files);
    const artifact = await storage.publish(
      { ...nameOf(object), file: commit.sha },
      commit.revision,
      content,
    );
    // Many Kustomizations wait for this: the same bytes are the same artifact.
    const isNew = artifact.digest !== status?.artifact?.digest;
    const old = pass.status.artifact;
    pass.status.artifact =
      !isNew && old !== undefined ? { ...artifact, lastUpdateTime: old.lastUpdateTime } : artifact;
    this.observe(object, pass, included.artifacts);
    pass.succeed(`stored artifact for revision '${commit.revision}'`);
    const reason = isNew ? 'NewArtifact' : 'Succeeded';
    if (!isNew && pass.wasReady) return;
    const subject = shortened(await checkout.subject(commit.sha));
    this.tell(object, 'Normal', reason, `stored artifact for commit '${subject}'`, artifact);
  }

  private isUnchanged(object: GitRepository, pass: Pass, commit: ResolvedCommit): boolean {
    const { spec } = object;
    const { status } = pass;
    if (status.artifact?.revision !== commit.revision) return false;
    const includes = (spec.include ?? []).map(
      ({ repository }) =>
        this.options.objects.get(`${object.metadata.namespace}/${repository.name}`)?.status
          ?.artifact?.digest,
    );
    return (
      (spec.ignore ?? '') === (status.observedIgnore ?? '') &&
      (spec.recurseSubmodules ?? false) === (status.observedRecurseSubmodules ?? false) &&
      equalJson(spec.include ?? [], status.observedInclude ?? []) &&
      equalJson(spec.sparseCheckout ?? [], status.observedSparseCheckout ?? []) &&
      equalJson(
        includes,
        (status.includedArtifacts ?? []).map(({ digest }) => digest),
      )
    );
  }

  /** What the artifact was made with, so that a change of it is seen. */
  private observe(object: GitRepository, pass: Pass, included: Artifact[]): void {
    const { spec } = object;
    const { status } = pass;
    delete status.observedIgnore;
    delete status.observedRecurseSubmodules;
    delete status.observedInclude;
    delete status.observedSparseCheckout;
    delete status.includedArtifacts;
    if (spec.ignore !== undefined) status.observedIgnore = spec.ignore;
    if (spec.recurseSubmodules === true) status.observedRecurseSubmodules = true;
    if (spec.include !== undefined) status.observedInclude = spec.include;
    if (spec.sparseCheckout !== undefined) status.observedSparseCheckout = spec.sparseCheckout;
    if (included.length > 0) status.includedArtifacts = included;
  }

  private async secret(
    object: GitRepository,
    name: string | undefined,
    signal: AbortSignal,
  ): Promise<SecretData | undefined> {
    if (name === undefined) return undefined;
    const { namespace = '' } = object.metadata;
    try {
      const found = await this.options.client
        .resource(kinds.Secret)
        .get(name, { namespace }, { signal });
      return Object.fromEntries(
        Object.entries(found.data ?? {}).map(([key, value]) => [
          key,
          Buffer.from(value, 'base64').toString('utf8'),
        ]),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new GitOpsError(
        'WG_GITOPS_AUTH',
        `failed to get secret '${namespace}/${name}': ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  private async remove(object: GitRepository, signal: AbortSignal): Promise<ReconcileResult> {
    await this.options.storage.remove(nameOf(object));
    await rm(this.cacheOf(object), { recursive: true, force: true });
    await this.options.objects.removeFinalizer(object, signal);
    return done;
  }

  /** Objects of git live on between fetches; another URL starts anew. */
  private cacheOf({ metadata, spec }: GitRepository): string {
    const name = createHash('sha256').update(`${metadata.namespace}/${metadata.name}\n${spec.url}`);
    return join(this.options.storage.directory, '.git-objects', name.digest('hex').slice(0, 32));
  }

  private tell(
    object: GitRepository,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    artifact?: Artifact,
  ): void {
    const annotations =
      artifact === undefined
        ? {}
        : {
            'source.toolkit.fluxcd.io/revision': artifact.revision,
            'source.toolkit.fluxcd.io/digest': artifact.digest,
          };
    this.options.events.event(object, type, reason, message, { annotations });
  }
}

function nameOf({ metadata }: GitRepository) {
  const { name = '', namespace = '' } = metadata;
  return { kind: 'GitRepository', namespace, name };
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

function classified(error: unknown) {
  if (error instanceof EmptyRepositoryError) {
    return { type: 'FetchFailed', reason: 'EmptyGitRepository' } as const;
  }
  const code = error instanceof GitOpsError ? error.code : undefined;
  if (code === 'WG_GITOPS_AUTH') {
    return { type: 'FetchFailed', reason: 'AuthenticationFailed' } as const;
  }
  if (code === 'WG_GITOPS_ARCHIVE') {
    return { type: 'StorageOperationFailed', reason: 'ArchiveOperationFailed' } as const;
  }
  return { type: 'FetchFailed', reason: 'GitOperationFailed' } as const;
}

function prefixOf(reason: string): string {
  return reason === 'GitOperationFailed' ? 'failed to checkout and determine revision: ' : '';
}

/** What a source asks for that is not there is refused, never passed over. */
function unsupportedField({ spec }: GitRepository, allowsFileUrls: boolean) {
  try {
    checkGitUrl(spec.url, allowsFileUrls);
  } catch (error) {
    return { reason: 'URLInvalid', message: messageOf(error) };
  }
  if (spec.provider !== undefined && spec.provider !== 'generic') {
    const message = `the provider '${spec.provider}' is not supported: use a Secret with credentials`;
    return { reason: 'InvalidProviderConfiguration', message };
  }
  if (spec.verify !== undefined) {
    const message = 'the verification of signatures is not supported';
    return { reason: 'InvalidVerificationMode', message };
  }
  return undefined;
}

function shortened(subject: string): string {
  return subject.length > 50 ? `${subject.slice(0, 50)}...` : subject;
}

import { createHash } from 'node:crypto';
import { isNotFound, type KubeClient } from '@waygate/kube';
import { type Clock, systemClock, type Timer, type Tracer } from '@waygate/runtime';
import { Conditions } from '../api/conditions.ts';
import { type ExternalArtifact, externalArtifactKind } from '../api/source-objects.ts';
import type { ArtifactStorage } from '../artifact/artifact-storage.ts';
import type { FileEntry } from '../artifact/file-entry.ts';
import { DirectoryReader, isSource } from './directory-files.ts';
import { DirectoryWatch } from './directory-watch.ts';
import { traceFetch } from './source-trace.ts';

export interface DirectorySourceOptions {
  readonly client: KubeClient;
  readonly storage: ArtifactStorage;
  /** What is followed. */
  readonly directory: string;
  /** The ExternalArtifact that offers it. */
  readonly name: string;
  readonly namespace: string;
  /** A save writes several times; this long after the last one the directory is read. 20 ms. */
  readonly debounceMs?: number | undefined;
  /** Looked at again after this long even if nothing was told. 10 s. */
  readonly pollMs?: number | undefined;
  /** When most files are gone, the directory is read again after this long. 250 ms. */
  readonly settleMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Told of each revision, from the save that made it. */
  readonly tracer?: Tracer | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

const defaultDebounceMs = 20;
/** For so long the end of what somebody writes is waited for. A file that grows all the time keeps nobody waiting longer. */
const patienceMs = 500;

/**
 * Follows a directory of this machine, without git, and offers what is in it as an ExternalArtifact:
 * its revision is the digest of its files. For `waygate up` and for tests.
 *
 * ```ts
 * const { storage } = new GitOpsControllers({ client, storageDirectory: '/data' });
 * const source = new DirectorySource({
 *   client, storage, directory: './deploy', name: 'deploy', namespace: 'default',
 * });
 * await source.run(signal);
 * ```
 */
export class DirectorySource {
  readonly #options: DirectorySourceOptions;
  readonly #clock: Clock;
  readonly #reader: DirectoryReader;
  #revision = '';
  #fileCount = 0;
  /** Grows with all that the watch tells. */
  #changeCount = 0;
  /** When the first change came that no reading has begun after. Of the wall clock. */
  #changedAtMs: number | undefined;
  #wake: () => void = () => undefined;

  constructor(options: DirectorySourceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#reader = new DirectoryReader(options.directory, options.maxBytes);
  }

  /** Publishes once, then after each change, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { debounceMs = defaultDebounceMs, pollMs = 10_000 } = this.#options;
    let timer: Timer | undefined;
    let changedMs = 0;
    // One timer for all that comes while it waits: a checkout changes thousands of files.
    const wakeLater = (ms: number): void => {
      timer = this.#clock.after(ms, () => {
        timer = undefined;
        const restMs = changedMs + debounceMs - this.#clock.monotonicMs();
        if (restMs > 0) wakeLater(restMs);
        else this.#wake();
      });
    };
    const { directory, onError = () => undefined } = this.#options;
    const watch = new DirectoryWatch({
      directory,
      // Git and Waygate itself write all the time: that is nothing to look at.
      isFollowed: (path) => isSource(directory, path),
      onChange: () => {
        this.#changeCount += 1;
        this.#changedAtMs ??= this.#clock.now();
        changedMs = this.#clock.monotonicMs();
        if (timer === undefined) wakeLater(debounceMs);
      },
      onError,
    });
    watch.start();
    try {
      while (!signal.aborted) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await this.#publishOrReport(signal);
        const waiting = new AbortController();
        const either = AbortSignal.any([signal, waiting.signal]);
        await Promise.race([woken, this.#clock.sleep(pollMs, either)]);
        waiting.abort();
      }
    } finally {
      timer?.cancel();
      watch.close();
    }
  }

  /** Reads the directory and offers it, if it changed. True when it did. */
  async publish(signal?: AbortSignal): Promise<boolean> {
    const { storage, name, namespace, debounceMs = defaultDebounceMs } = this.#options;
    const artifactName = { kind: 'ExternalArtifact', namespace, name };
    const impatientMs = this.#clock.monotonicMs() + patienceMs;
    const startMs = this.#clock.now();
    let committedMs: number | undefined;
    for (;;) {
      const changes = this.#changeCount;
      committedMs ??= this.#changedAtMs;
      this.#changedAtMs = undefined;
      // Whoever is still writing is not done: to apply half of it would only keep the whole waiting.
      const isStale = (): boolean =>
        this.#changeCount !== changes && this.#clock.monotonicMs() < impatientMs;
      const { files, digest } = await this.#settledFiles(signal);
      const revision = `latest@sha256:${digest}`;
      if (revision === this.#revision) return false;
      if (!isStale()) {
        const place = { ...artifactName, file: digest };
        const artifact = await storage.publishWhole(place, revision, files);
        if (!isStale()) {
          const source = await this.#offer({ ...artifact }, signal);
          const before = source.status?.artifact;
          const { tracer } = this.#options;
          if (tracer !== undefined) {
            const endMs = this.#clock.now();
            traceFetch(tracer, source, { artifact, before, startMs, endMs, committedMs });
          }
          this.#revision = revision;
          this.#fileCount = files.length;
          await storage.collectGarbage(artifactName, artifact.path);
          return true;
        }
      }
      await this.#clock.sleep(debounceMs, signal);
      signal?.throwIfAborted();
    }
  }

  /**
   * What is in the directory. When most of what there was is gone, it may be between the end of the
   * old and the beginning of the new: then it must be found so twice.
   */
  async #settledFiles(signal: AbortSignal | undefined) {
    const { settleMs = 250 } = this.#options;
    for (let before = ''; ; ) {
      const files = await this.#reader.read();
      const digest = digestOf(files);
      if (files.length * 2 >= this.#fileCount || digest === before) return { files, digest };
      before = digest;
      await this.#clock.sleep(settleMs, signal);
      signal?.throwIfAborted();
    }
  }

  async #publishOrReport(signal: AbortSignal): Promise<void> {
    try {
      await this.publish(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.onError?.(error);
      // A failure, such as a file that went while it was read, is tried again soon.
      this.#clock.after(1000, () => this.#wake(), { isBackground: true });
    }
  }

  /** Gives back the object as it was before. */
  async #offer(
    artifact: NonNullable<NonNullable<ExternalArtifact['status']>['artifact']>,
    signal?: AbortSignal,
  ): Promise<ExternalArtifact> {
    const { client, name, namespace } = this.#options;
    const resource = client.resource(externalArtifactKind);
    const call = { signal };
    let object: ExternalArtifact;
    try {
      object = await resource.get(name, { namespace }, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      object = await resource.create({ metadata: { name, namespace } }, { namespace }, call);
    }
    const { generation = 1 } = object.metadata;
    const conditions = new Conditions(object.status?.conditions, generation, () =>
      this.#clock.now(),
    );
    conditions.set(
      'Ready',
      'True',
      'Succeeded',
      `stored artifact for revision '${artifact.revision}'`,
    );
    const status = { artifact, conditions: conditions.list() };
    const fieldManager = 'source-controller';
    await resource.status.patch(name, { status }, { namespace, fieldManager }, call);
    return { ...object, kind: externalArtifactKind.kind };
  }
}

function digestOf(files: readonly FileEntry[]): string {
  const hash = createHash('sha256');
  for (const { path, isExecutable, content } of files) {
    hash.update(`${isExecutable ? 'x' : '-'} ${content.length} ${path}\n`).update(content);
  }
  return hash.digest('hex');
}

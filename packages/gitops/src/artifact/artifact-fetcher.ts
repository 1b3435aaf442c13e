import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '@waygate/runtime';
import {
  discardBody,
  explainNetworkError,
  HttpClient,
  type HttpResponse,
  readBody,
  redirecting,
  type Send,
  TextError,
  targetOf,
} from '@waygate/text';
import type { Artifact } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { ArtifactStorage } from './artifact-storage.ts';
import { checkFileList } from './file-list.ts';
import type { FileTree } from './file-tree.ts';
import { unpack } from './unpack.ts';

export interface ArtifactFetcherOptions {
  /** Artifacts of this storage are read from disk. */
  readonly storage?: ArtifactStorage | undefined;
  /** Tries of one download. 9. */
  readonly maxTries?: number | undefined;
  /** The pause after the first failed try; it doubles. 500 ms. */
  readonly retryMs?: number | undefined;
  /** The largest archive that is taken. 256 MiB. */
  readonly maxBytes?: number | undefined;
  /** Unpacked artifacts that are kept for the next who asks. 8. */
  readonly cacheSize?: number | undefined;
  /** Bytes of unpacked artifacts that are kept, but for the one that was asked for last. 256 MiB. */
  readonly cacheBytes?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Gets artifacts, checks them against their digest and unpacks them. A thousand Kustomizations of
 * one revision share one download and one unpacked tree.
 *
 * ```ts
 * const fleet = await client.resource(gitRepositoryKind).get('fleet', { namespace: 'flux-system' });
 * const files = await new ArtifactFetcher().fetch(fleet.status!.artifact!, signal);
 * console.log(files.readText('/apps/kustomization.yaml'));
 * ```
 */
export class ArtifactFetcher {
  readonly #options: ArtifactFetcherOptions;
  /** By digest, the least recently used first. */
  readonly #trees = new Map<string, Promise<FileTree>>();
  /** Of those that are there. */
  readonly #sizes = new Map<string, number>();
  readonly #send: Send = redirecting(new HttpClient().send, {
    maxHops: 20,
    allowsPlain: true,
    refuse: failed,
  });

  constructor(options: ArtifactFetcherOptions = {}) {
    this.#options = options;
  }

  async fetch(artifact: Artifact, signal?: AbortSignal): Promise<FileTree> {
    const known = this.#trees.get(artifact.digest);
    if (known !== undefined) {
      this.#trees.delete(artifact.digest);
      this.#trees.set(artifact.digest, known);
      // The one who asked first may have given up; that is not this one's failure.
      try {
        return await known;
      } catch {
        signal?.throwIfAborted();
      }
    }
    const whole = this.#options.storage?.takeWhole(artifact);
    const tree = whole === undefined ? this.#load(artifact, signal) : Promise.resolve(whole);
    this.#trees.set(artifact.digest, tree);
    tree.then(
      ({ bytes }) => {
        if (this.#trees.get(artifact.digest) !== tree) return;
        this.#sizes.set(artifact.digest, bytes);
        this.#trim();
      },
      () => {
        if (this.#trees.get(artifact.digest) === tree) this.#trees.delete(artifact.digest);
      },
    );
    this.#trim();
    return tree;
  }

  /** Lets go of an artifact: the next who asks gets it anew. */
  forget({ digest }: Artifact): void {
    this.#trees.delete(digest);
    this.#sizes.delete(digest);
  }

  /** Lets go of the least recently used until the rest fits. Who has one keeps it. */
  #trim(): void {
    const { cacheSize = 8, cacheBytes = 256 * 1024 * 1024 } = this.#options;
    let total = 0;
    for (const size of this.#sizes.values()) total += size;
    for (const digest of this.#trees.keys()) {
      const isLast = this.#trees.size === 1;
      if (isLast || (this.#trees.size <= cacheSize && total <= cacheBytes)) break;
      total -= this.#sizes.get(digest) ?? 0;
      this.#sizes.delete(digest);
      this.#trees.delete(digest);
    }
  }

  /**
   * Gets an artifact once more, past everything that is kept of it, and says whether it is what was
   * had before: for those who are about to delete on its word.
   *
   * @throws GitOpsError when it cannot be had, or is not whole
   */
  async isStill(artifact: Artifact, files: FileTree, signal?: AbortSignal): Promise<boolean> {
    const again = await this.#load(artifact, signal);
    const [one, other] = [files.list(), again.list()];
    if (one.length !== other.length) return false;
    return other.every(
      (path) => files.has(path) && Buffer.compare(files.read(path), again.read(path)) === 0,
    );
  }

  /**
   * The bytes of an artifact that is no archive of files, checked against its digest: a packed chart, an index.
   *
   * @throws GitOpsError when it cannot be had, or is not whole
   */
  async fetchBytes(artifact: Artifact, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#download(artifact, signal);
  }

  async #load(artifact: Artifact, signal: AbortSignal | undefined): Promise<FileTree> {
    const bytes = await this.fetchBytes(artifact, signal);
    const tree = await unpack(bytes);
    checkFileList(
      artifact,
      tree.list().map((path) => ({ path: path.slice(1), size: tree.size(path) })),
    );
    return tree;
  }

  /**
   * What this storage has need not travel, even if the address is that of an earlier run: the digest
   * says whether it is the same.
   */
  async #local(artifact: Artifact): Promise<Uint8Array | undefined> {
    const { storage } = this.#options;
    if (storage === undefined) return undefined;
    const isOurs = artifact.url === storage.urlOf(artifact.path);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(storage.onDisk(artifact.path));
    } catch (error) {
      if (!isOurs) return undefined;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notFound(artifact);
      throw error;
    }
    try {
      checkDigest(bytes, artifact.digest);
      return bytes;
    } catch (error) {
      if (!isOurs) return undefined;
      // Whoever made it makes it again.
      storage.onDamaged(artifact.path);
      throw error;
    }
  }

  /** From here, or from where it is said to be. */
  async #download(artifact: Artifact, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { clock = systemClock, maxTries = 9, retryMs = 500, storage } = this.#options;
    for (let attempt = 1; ; attempt++) {
      // Whoever leads since the server went makes it again here, or has copied it: nobody waits for a
      // server that takes connections and does not answer, as one that stands still does.
      const stored = new StoredHere(storage, artifact.path);
      const ends = signal === undefined ? stored.signal : AbortSignal.any([signal, stored.signal]);
      let isKeptHere = true;
      try {
        const local = await this.#local(artifact);
        if (local !== undefined) return local;
        isKeptHere = false;
        return await this.#downloadOnce(artifact, ends);
      } catch (error) {
        signal?.throwIfAborted();
        // What is damaged here is made again, but not without a word.
        if (isKeptHere) throw error;
        const isLast = attempt >= Math.min(maxTries, triesFor(error, maxTries));
        if (isLast && !stored.signal.aborted) throw error;
        await clock.sleep(Math.min(retryMs * 2 ** (attempt - 1), 30_000), ends);
        signal?.throwIfAborted();
      } finally {
        stored.forget();
      }
    }
  }

  async #downloadOnce(artifact: Artifact, signal: AbortSignal): Promise<Uint8Array> {
    const limit = this.#options.maxBytes ?? 256 * 1024 * 1024;
    let response: HttpResponse;
    try {
      const target = targetOf(new URL(artifact.url));
      response = await this.#send({ ...target, ...patience, signal });
    } catch (error) {
      throw failed(`GET ${artifact.url}: ${explainNetworkError(error)}`, error);
    }
    const { statusCode } = response;
    if (statusCode !== 200) {
      discardBody(response);
      throw statusCode === 404
        ? notFound(artifact)
        : failed(`GET ${artifact.url} answered ${statusCode}`);
    }
    const bytes = await readBody(response, limit).catch((error: unknown) => {
      if (!(error instanceof TextError)) throw error;
      throw new GitOpsError('WG_GITOPS_ARCHIVE', `the archive is larger than ${limit} bytes`);
    });
    checkDigest(bytes, artifact.digest);
    return bytes;
  }
}

/** A server of artifacts that says nothing for this long is tried again: it is near, and has them ready. */
const patience = { connectTimeoutMs: 10_000, idleTimeoutMs: 15_000 };

/** Aborts when an artifact comes to be in the storage. */
class StoredHere {
  readonly #abort = new AbortController();
  /** Nobody waits for it any more. */
  readonly forget: () => void;

  constructor(storage: ArtifactStorage | undefined, path: string) {
    const noted = storage?.onStored((stored) => {
      if (stored === path) this.#abort.abort(new Error('the artifact is here by now'));
    });
    this.forget = () => noted?.();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
}

/** How often it is worth to try. Bytes that are not the right ones may be those of a cut connection. */
function triesFor(error: unknown, all: number): number {
  if (!(error instanceof GitOpsError) || error.code === 'WG_GITOPS_DOWNLOAD') return all;
  return error.code === 'WG_GITOPS_DIGEST' ? 2 : 1;
}

function failed(why: string, cause?: unknown): GitOpsError {
  return new GitOpsError('WG_GITOPS_DOWNLOAD', `failed to download archive: ${why}`, { cause });
}

function notFound(artifact: Artifact): GitOpsError {
  return new GitOpsError('WG_GITOPS_NOT_FOUND', `artifact not found: ${artifact.url}`);
}

function checkDigest(bytes: Uint8Array, digest: string): void {
  const colon = digest.indexOf(':');
  const algorithm = colon < 0 ? 'sha256' : digest.slice(0, colon);
  if (!['sha1', 'sha256', 'sha384', 'sha512'].includes(algorithm)) {
    throw new GitOpsError('WG_GITOPS_DIGEST', `the digest algorithm ${algorithm} is not supported`);
  }
  const actual = createHash(algorithm).update(bytes).digest('hex');
  const wanted = digest.slice(colon + 1);
  if (actual !== wanted) {
    throw new GitOpsError(
      'WG_GITOPS_DIGEST',
      `failed to verify archive: computed digest doesn't match provided '${digest}'`,
    );
  }
}

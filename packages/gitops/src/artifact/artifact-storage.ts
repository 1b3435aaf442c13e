import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { secondsText } from '../api/conditions.ts';
import type { Artifact } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { FileEntry } from './file-entry.ts';
import { checkFiles, fileListKey, fileListOf, type ListedFile } from './file-list.ts';
import { FileTree } from './file-tree.ts';
import { Retention } from './retention.ts';
import { ServedDigests } from './served-digests.ts';
import { tarArchive, tarBytes } from './tar-writer.ts';

/** What digests of artifacts can be made with. */
export type DigestAlgorithm = 'sha256' | 'sha384' | 'sha512';

export interface ArtifactStorageOptions {
  /** Where artifacts are kept; made when it is not there. */
  readonly directory: string;
  /** An old artifact may be asked for this long after a newer one took its place. 60 s. */
  readonly retentionTtlMs?: number | undefined;
  /** How many artifacts of one source are kept at most. 2. */
  readonly retentionRecords?: number | undefined;
  /** What digests of new artifacts are made with. sha256. */
  readonly digestAlgorithm?: DigestAlgorithm | undefined;
  /** Whether artifacts are to be there after a power cut. Those of a directory that is thrown away need not. True. */
  readonly isLasting?: boolean | undefined;
  readonly now?: (() => number) | undefined;
}

/** The source that an artifact is of. */
interface ArtifactOwner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Which artifact of which source. */
export interface ArtifactName extends ArtifactOwner {
  /** The name of the file, such as a commit. */
  readonly file: string;
  /** What the file is, by the end of its name. `tar.gz`. */
  readonly extension?: string | undefined;
}

/** What an artifact is, as far as that shows only once its files were read. */
interface ArtifactFacts {
  readonly file: string;
  readonly revision: string;
  readonly metadata?: Record<string, string> | undefined;
  /** All that must be in it, as the source knows it without having read it. */
  readonly expected: Iterable<ListedFile>;
}

interface PublishOptions {
  readonly metadata?: Record<string, string> | undefined;
  /** {@link ArtifactFacts.expected} */
  readonly expected: Iterable<ListedFile>;
}

/** Leads to the newest artifact of a source, for those who want no other. */
const latest = 'latest.tar.gz';

/**
 * Artifacts on disk, laid out as source-controller lays them out:
 * `<kind>/<namespace>/<name>/<file>.tar.gz`. A file appears whole or not at all.
 *
 * ```ts
 * const storage = new ArtifactStorage({ directory: '/var/lib/waygate/artifacts', retentionRecords: 2 });
 * storage.pathOf({ kind: 'GitRepository', namespace: 'team-a', name: 'app', file: 'sha-1' }); // 'gitrepository/team-a/app/sha-1.tar.gz'
 * ```
 */
export class ArtifactStorage {
  readonly directory: string;
  /** Where others reach the artifacts; set when the server listens. */
  baseUrl = '';
  /** Told of an artifact that is not what it was: `kind/namespace/name/file`. */
  onDamaged: (path: string) => void = () => undefined;
  readonly #storedListeners = new Set<(path: string) => void>();
  readonly #digests = new ServedDigests();
  #lastWhole: { readonly digest: string; readonly files: readonly FileEntry[] } | undefined;
  readonly #retention: Retention;
  readonly #digestAlgorithm: DigestAlgorithm;
  readonly #isLasting: boolean;
  readonly #now: () => number;

  constructor(options: ArtifactStorageOptions) {
    this.directory = options.directory;
    this.#digestAlgorithm = options.digestAlgorithm ?? 'sha256';
    this.#isLasting = options.isLasting ?? true;
    this.#now = options.now ?? Date.now;
    this.#retention = new Retention(
      options.retentionTtlMs ?? 60_000,
      options.retentionRecords ?? 2,
      this.#now,
    );
  }

  /** Calls back with the path of each artifact that comes, until what it gives back is called. */
  onStored(listener: (path: string) => void): () => void {
    this.#storedListeners.add(listener);
    return () => this.#storedListeners.delete(listener);
  }

  /** An artifact is on disk from now on. */
  tellStored(path: string): void {
    for (const listener of this.#storedListeners) listener(path);
  }

  pathOf({ kind, namespace, name, file, extension = 'tar.gz' }: ArtifactName): string {
    const parts = [kind.toLowerCase(), namespace, name, `${file}.${extension}`];
    if (parts.some((part) => part === '' || part === '..' || /[/\\\0]/.test(part))) {
      throw new GitOpsError('WG_GITOPS_CONFIG', `"${parts.join('/')}" cannot name an artifact`);
    }
    return parts.join('/');
  }

  urlOf(path: string): string {
    return `${this.baseUrl}/${path}`;
  }

  /** Where the newest artifact of a source can always be had. */
  latestUrlOf(path: string): string {
    return this.urlOf(`${dirname(path)}/${latest}`);
  }

  /** Archives files, and gives the artifact back once it can be fetched. */
  async publish(
    { file, ...owner }: ArtifactName,
    revision: string,
    files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
    { metadata, expected }: PublishOptions,
  ): Promise<Artifact> {
    return this.publishAs(owner, files, () => ({ file, revision, metadata, expected }));
  }

  /**
   * Archives files that are all in memory. Whoever gets the artifact in this process next gets those, and nobody
   * unpacks what was packed just now.
   */
  async publishWhole(
    { file, ...owner }: ArtifactName,
    revision: string,
    files: readonly FileEntry[],
  ): Promise<Artifact> {
    // It is for this machine, and the next save takes its place.
    const archive = await promisify(gzip)(tarBytes(files), { level: 1 });
    const listed = files.map(({ path, content }) => ({ path, size: content.length }));
    const facts = { file, revision, metadata: { [fileListKey]: fileListOf(listed) } };
    const artifact = await this.#write(owner, [Readable.from([archive])], () => facts);
    this.#lastWhole = { digest: artifact.digest, files };
    return artifact;
  }

  /** The files of the artifact that was made last of what was in memory: once, and of no other. */
  takeWhole({ digest }: Artifact): FileTree | undefined {
    const last = this.#lastWhole;
    if (last === undefined || last.digest !== digest) return undefined;
    this.#lastWhole = undefined;
    return FileTree.of(last.files);
  }

  /**
   * Archives files of which it shows only in the end what they are. An archive that has not exactly
   * the files that were expected is thrown away.
   */
  async publishAs(
    owner: ArtifactOwner,
    files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
    factsOf: () => ArtifactFacts,
  ): Promise<Artifact> {
    const archived: ListedFile[] = [];
    const archive = Readable.from(tarArchive(noted(files, archived)));
    return this.#write(owner, [archive, createGzip()], () => {
      const { expected, metadata, ...facts } = factsOf();
      checkFiles(expected, archived);
      return { ...facts, metadata: { ...metadata, [fileListKey]: fileListOf(archived) } };
    });
  }

  /** Stores bytes as they are. */
  async publishBytes(
    { file, extension, ...owner }: ArtifactName,
    revision: string,
    bytes: Uint8Array,
    metadata?: Record<string, string>,
  ): Promise<Artifact> {
    // What it says of its files would be somebody else's word: these are bytes.
    const { [fileListKey]: _theirs, ...kept } = metadata ?? {};
    const facts = { file, extension, revision, metadata: metadata && kept };
    return this.#write(owner, [Readable.from([bytes])], () => facts);
  }

  async #write(
    owner: ArtifactOwner,
    bytes: readonly [Readable, ...Transform[]],
    factsOf: () => Omit<ArtifactFacts, 'expected'>,
  ): Promise<Artifact> {
    const directory = this.#directoryOf(owner);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const temporary = join(directory, `${randomUUID()}.tmp`);
    const hash = createHash(this.#digestAlgorithm);
    let size = 0;
    const count = new Transform({
      transform(chunk: Buffer, _encoding, callback) {
        hash.update(chunk);
        size += chunk.length;
        callback(null, chunk);
      },
    });
    try {
      const file = createWriteStream(temporary, { mode: 0o600, flush: this.#isLasting });
      await pipeline([...bytes, count, file]);
      const { file: name, revision, metadata } = factsOf();
      const path = this.pathOf({ ...owner, file: name });
      const digest = `${this.#digestAlgorithm}:${hash.digest('hex')}`;
      await rename(temporary, this.onDisk(path));
      if (this.#isLasting) await syncDirectory(directory);
      this.#digests.note(this.onDisk(path), digest);
      this.tellStored(path);
      return {
        path,
        url: this.urlOf(path),
        revision,
        digest,
        lastUpdateTime: secondsText(this.#now()),
        size,
        ...(metadata === undefined ? {} : { metadata }),
      };
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Makes `latest.tar.gz` lead to an artifact, at once. Gives its URL back. */
  async link(artifact: Artifact): Promise<string> {
    const full = this.onDisk(artifact.path);
    const temporary = join(dirname(full), `${randomUUID()}.tmp`);
    try {
      await symlink(basename(full), temporary);
      await rename(temporary, join(dirname(full), latest));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    return this.latestUrlOf(artifact.path);
  }

  /** Whether the artifact is on disk, with the bytes that its digest promises. */
  async verify(artifact: Artifact): Promise<'ok' | 'missing' | 'mismatch'> {
    const full = this.onDisk(artifact.path);
    const [algorithm = '', wanted = ''] = artifact.digest.split(':');
    if (!['sha1', 'sha256', 'sha384', 'sha512'].includes(algorithm)) return 'mismatch';
    const hash = createHash(algorithm);
    try {
      await pipeline(createReadStream(full), hash);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
      throw error;
    }
    if (hash.digest('hex') !== wanted) return 'mismatch';
    this.#digests.note(full, artifact.digest);
    return 'ok';
  }

  /**
   * Opens an artifact to be served; undefined when there is none that may be. It is one file from
   * here on: another may take its name while this one is sent.
   */
  async openToServe(path: string): Promise<FileHandle | undefined> {
    let file: FileHandle;
    let full = this.onDisk(path);
    try {
      if (basename(full) === latest) full = join(dirname(full), basename(await readlink(full)));
      file = await open(full, 'r');
    } catch {
      return undefined;
    }
    try {
      if (await this.#digests.isIntact(full, file)) return file;
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    this.onDamaged(path);
    return undefined;
  }

  async has(artifact: Artifact): Promise<boolean> {
    try {
      return (await stat(this.onDisk(artifact.path))).isFile();
    } catch {
      return false;
    }
  }

  /** Removes what is older than it may be, never what is current. Gives back how many went. */
  async collectGarbage(owner: ArtifactOwner, currentPath: string): Promise<number> {
    const removed = await this.#retention.removeOutdated(
      this.#directoryOf(owner),
      this.onDisk(currentPath),
    );
    for (const path of removed) this.#digests.forget(path);
    return removed.length;
  }

  /** Removes all artifacts of a source. True when there were any. */
  async remove(owner: ArtifactOwner): Promise<boolean> {
    const directory = this.#directoryOf(owner);
    try {
      await stat(directory);
    } catch {
      return false;
    }
    await rm(directory, { recursive: true, force: true });
    return true;
  }

  #directoryOf(owner: ArtifactOwner): string {
    return dirname(this.onDisk(this.pathOf({ ...owner, file: 'x' })));
  }

  onDisk(path: string): string {
    const full = join(this.directory, ...path.split('/'));
    if (!full.startsWith(this.directory + sep)) {
      throw new GitOpsError('WG_GITOPS_CONFIG', `"${path}" is outside of the storage`);
    }
    return full;
  }
}

async function* noted(
  files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
  list: ListedFile[],
): AsyncGenerator<FileEntry> {
  for await (const file of files) {
    yield file;
    list.push({ path: file.path, size: file.content.length });
  }
}

/** A new name is on the disk once its directory is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

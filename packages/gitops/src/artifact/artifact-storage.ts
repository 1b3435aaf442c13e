import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { secondsText } from '../api/conditions.ts';
import type { Artifact } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { FileEntry } from './file-entry.ts';
import { tarArchive } from './tar-writer.ts';

export interface ArtifactStorageOptions {
  /** Where artifacts are kept; made when it is not there. */
  readonly directory: string;
  /** An old artifact may be asked for this long after a newer one took its place. 60 s. */
  readonly retentionTtlMs?: number | undefined;
  /** How many artifacts of one source are kept at most. 2. */
  readonly retentionRecords?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** The source that an artifact is of. */
export interface ArtifactOwner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Which artifact of which source. */
export interface ArtifactName extends ArtifactOwner {
  /** The name of the file, such as a commit. */
  readonly file: string;
}

/** What an artifact is, as far as that shows only once its files were read. */
export interface ArtifactFacts {
  readonly file: string;
  readonly revision: string;
  readonly metadata?: Record<string, string> | undefined;
}

/** Leads to the newest artifact of a source, for those who want no other. */
const latest = 'latest.tar.gz';

/**
 * Artifacts on disk, laid out as source-controller lays them out:
 * `<kind>/<namespace>/<name>/<file>.tar.gz`. A file appears whole or not at all.
 */
export class ArtifactStorage {
  readonly directory: string;
  /** Where others reach the artifacts; set when the server listens. */
  baseUrl = '';
  private readonly ttlMs: number;
  private readonly records: number;
  private readonly now: () => number;

  constructor(options: ArtifactStorageOptions) {
    this.directory = options.directory;
    this.ttlMs = options.retentionTtlMs ?? 60_000;
    this.records = options.retentionRecords ?? 2;
    this.now = options.now ?? Date.now;
  }

  pathOf({ kind, namespace, name, file }: ArtifactName): string {
    const parts = [kind.toLowerCase(), namespace, name, `${file}.tar.gz`];
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
    metadata?: Record<string, string>,
  ): Promise<Artifact> {
    return this.publishAs(owner, files, () => ({ file, revision, metadata }));
  }

  /** Archives files of which it shows only in the end what they are. */
  async publishAs(
    owner: ArtifactOwner,
    files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
    factsOf: () => ArtifactFacts,
  ): Promise<Artifact> {
    return this.write(owner, Readable.from(tarArchive(files)), factsOf, createGzip());
  }

  /** Stores bytes as they are. */
  async publishBytes(
    { file, ...owner }: ArtifactName,
    revision: string,
    bytes: Uint8Array,
    metadata?: Record<string, string>,
  ): Promise<Artifact> {
    return this.write(owner, Readable.from([bytes]), () => ({ file, revision, metadata }));
  }

  private async write(
    owner: ArtifactOwner,
    bytes: Readable,
    factsOf: () => ArtifactFacts,
    ...through: Transform[]
  ): Promise<Artifact> {
    const directory = this.directoryOf(owner);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const temporary = join(directory, `${randomUUID()}.tmp`);
    const hash = createHash('sha256');
    let size = 0;
    const count = new Transform({
      transform(chunk: Buffer, _encoding, callback) {
        hash.update(chunk);
        size += chunk.length;
        callback(null, chunk);
      },
    });
    try {
      const file = createWriteStream(temporary, { mode: 0o600, flush: true });
      await pipeline([bytes, ...through, count, file]);
      const { file: name, revision, metadata } = factsOf();
      const path = this.pathOf({ ...owner, file: name });
      await rename(temporary, this.onDisk(path));
      return {
        path,
        url: this.urlOf(path),
        revision,
        digest: `sha256:${hash.digest('hex')}`,
        lastUpdateTime: secondsText(this.now()),
        size,
        ...(metadata === undefined ? {} : { metadata }),
      };
    } catch (error) {
      await rm(temporary, { force: true });
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
    return hash.digest('hex') === wanted ? 'ok' : 'mismatch';
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
    const directory = this.directoryOf(owner);
    const keep = this.onDisk(currentPath);
    const found = await this.artifactsIn(directory);
    found.sort((left, right) => right.mtimeMs - left.mtimeMs);
    let kept = 1;
    let removed = 0;
    // Time counts from when a newer one took the place, and not from when it was made.
    let replacedMs = Number.POSITIVE_INFINITY;
    for (const { path, mtimeMs } of found) {
      if (path.endsWith('.tmp')) {
        await rm(path, { force: true });
        continue;
      }
      const ageMs = this.now() - replacedMs;
      replacedMs = mtimeMs;
      if (path === keep) continue;
      if (ageMs <= this.ttlMs && kept < this.records) {
        kept += 1;
        continue;
      }
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  private async artifactsIn(directory: string) {
    let names: string[];
    try {
      names = await readdir(directory);
    } catch {
      return [];
    }
    const found: { path: string; mtimeMs: number }[] = [];
    for (const one of names) {
      if (!one.endsWith('.tar.gz') && !one.endsWith('.tmp')) continue;
      const path = join(directory, one);
      try {
        const { mtimeMs, isLink } = await factsOfFile(path);
        if (isLink && !one.endsWith('.tmp')) continue;
        // A file that is being written is somebody's work; one left by a crash is not.
        if (one.endsWith('.tmp') && this.now() - mtimeMs < 3_600_000) continue;
        found.push({ path, mtimeMs });
      } catch {
        // Another pass removed it.
      }
    }
    return found;
  }

  /** Removes all artifacts of a source. True when there were any. */
  async remove(owner: ArtifactOwner): Promise<boolean> {
    const directory = this.directoryOf(owner);
    try {
      await stat(directory);
    } catch {
      return false;
    }
    await rm(directory, { recursive: true, force: true });
    return true;
  }

  private directoryOf(owner: ArtifactOwner): string {
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

async function factsOfFile(path: string): Promise<{ mtimeMs: number; isLink: boolean }> {
  const found = await lstat(path);
  return { mtimeMs: found.mtimeMs, isLink: found.isSymbolicLink() };
}

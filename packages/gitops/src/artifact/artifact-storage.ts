import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
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

/** Which artifact of which source. */
export interface ArtifactName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The name of the file, such as a commit. */
  readonly file: string;
}

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

  /** Archives files, and gives the artifact back once it can be fetched. */
  async publish(
    name: ArtifactName,
    revision: string,
    files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
    metadata?: Record<string, string>,
  ): Promise<Artifact> {
    const gzip = createGzip();
    return this.write(name, revision, Readable.from(tarArchive(files)), metadata, gzip);
  }

  /** Stores bytes as they are. */
  async publishBytes(
    name: ArtifactName,
    revision: string,
    bytes: Uint8Array,
    metadata?: Record<string, string>,
  ): Promise<Artifact> {
    return this.write(name, revision, Readable.from([bytes]), metadata);
  }

  private async write(
    name: ArtifactName,
    revision: string,
    bytes: Readable,
    metadata: Record<string, string> | undefined,
    ...through: Transform[]
  ): Promise<Artifact> {
    const path = this.pathOf(name);
    const full = this.onDisk(path);
    await mkdir(dirname(full), { recursive: true, mode: 0o700 });
    const temporary = `${full}.${randomUUID()}.tmp`;
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
      await rename(temporary, full);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    return {
      path,
      url: this.urlOf(path),
      revision,
      digest: `sha256:${hash.digest('hex')}`,
      lastUpdateTime: secondsText(this.now()),
      size,
      ...(metadata === undefined ? {} : { metadata }),
    };
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
  async collectGarbage(name: Omit<ArtifactName, 'file'>, currentPath: string): Promise<number> {
    const directory = dirname(this.onDisk(this.pathOf({ ...name, file: 'x' })));
    const keep = this.onDisk(currentPath);
    const found = await this.artifactsIn(directory);
    found.sort((left, right) => right.mtimeMs - left.mtimeMs);
    let kept = 1;
    let removed = 0;
    for (const { path, mtimeMs } of found) {
      if (path === keep) continue;
      if (this.now() - mtimeMs <= this.ttlMs && kept < this.records) {
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
        const { mtimeMs } = await stat(path);
        // A file that is being written is somebody's work; one left by a crash is not.
        if (one.endsWith('.tmp') && this.now() - mtimeMs < 3_600_000) continue;
        found.push({ path, mtimeMs });
      } catch {
        // Another pass removed it.
      }
    }
    return found;
  }

  /** Removes all artifacts of a source. */
  async remove(name: Omit<ArtifactName, 'file'>): Promise<void> {
    const directory = dirname(this.onDisk(this.pathOf({ ...name, file: 'x' })));
    await rm(directory, { recursive: true, force: true });
  }

  onDisk(path: string): string {
    const full = join(this.directory, ...path.split('/'));
    if (!full.startsWith(this.directory + sep)) {
      throw new GitOpsError('WG_GITOPS_CONFIG', `"${path}" is outside of the storage`);
    }
    return full;
  }
}

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isStateDirectory } from '@waygate/text';
import { compareWalkOrder, type FileEntry } from '../artifact/file-entry.ts';
import { GitOpsError } from '../gitops-error.ts';
import { ignoreFile, SourceIgnore } from '../ignore/source-ignore.ts';

/** How often a directory that changes while it is read is read again. */
const maxReads = 10;
/** Clocks of file systems go in steps: a change less than this ago may not show in a file's times. */
const clockStepMs = 30;

/** A file before it is read. */
interface FoundFile {
  readonly path: string;
  readonly isExecutable: boolean;
  readonly size: number;
  /** Another whenever the file is another one or was written to, but for {@link clockStepMs}. */
  readonly state: string;
  readonly changedMs: number;
}

/**
 * The files of a directory of this machine that an artifact of it would have: no links, no state of
 * Waygate, nothing that `.sourceignore` leaves out. All are as they were at one moment: a directory that changes while it is
 * read is read again.
 *
 * ```ts
 * for (const { path, content } of await readDirectory('./deploy')) console.log(path, content.length);
 * ```
 *
 * @throws GitOpsError when they are too many bytes, or do not come to rest
 */
export async function readDirectory(
  directory: string,
  maxBytes = 256 * 1024 * 1024,
): Promise<FileEntry[]> {
  let last: FileEntry[] | undefined;
  let gone: unknown;
  for (let count = 0; count < maxReads; count++) {
    const startedMs = Date.now();
    try {
      const found = await listDirectory(directory);
      const files = await readFiles(directory, found, maxBytes);
      const isAtRest = statesOf(found) === statesOf(await listDirectory(directory));
      const isOld = found.every(({ changedMs }) => changedMs < startedMs - clockStepMs);
      // What was changed just now is believed when it is found so twice.
      const isSure = isOld || (last !== undefined && equalFiles(last, files));
      if (isAtRest && isSure) return files;
      last = files;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      gone = error;
    }
  }
  const message = `${directory} changes while it is read`;
  throw new GitOpsError('WG_GITOPS_ARCHIVE', message, { cause: gone });
}

/** What is never source, wherever it is: git's own files, packages, and what Waygate keeps for itself. */
export function isSource(directory: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '.git' || name === 'node_modules') return false;
  return !isStateDirectory(join(directory, path));
}

async function listDirectory(directory: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const ignoreTexts = new Map<string, string>();
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (isSource(directory, path)) await walk(path);
      } else if (entry.isFile()) {
        const { mode, size, ino, mtimeMs, ctimeMs } = await lstat(join(directory, path));
        const state = [path, mode, size, ino, mtimeMs, ctimeMs].join(' ');
        const isExecutable = (mode & 0o100) !== 0;
        found.push({ path, isExecutable, size, state, changedMs: Math.max(mtimeMs, ctimeMs) });
        if (entry.name === ignoreFile) {
          ignoreTexts.set(below, await readFile(join(directory, path), 'utf8'));
        }
      }
    }
  };
  await walk('');
  const ignore = SourceIgnore.forTree({ files: ignoreTexts });
  return found
    .filter(({ path }) => !ignore.isIgnored(path))
    .sort((left, right) => compareWalkOrder(left.path, right.path));
}

async function readFiles(
  directory: string,
  found: readonly FoundFile[],
  maxBytes: number,
): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  let total = 0;
  for (const { path, isExecutable, size } of found) {
    total += size;
    if (total > maxBytes) {
      throw new GitOpsError('WG_GITOPS_ARCHIVE', `${directory} is larger than ${maxBytes} bytes`);
    }
    files.push({ path, isExecutable, content: await readFile(join(directory, path)) });
  }
  return files;
}

function statesOf(found: readonly FoundFile[]): string {
  return found.map(({ state }) => state).join('\n');
}

function equalFiles(one: readonly FileEntry[], other: readonly FileEntry[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(({ path, isExecutable, content }, index) => {
    const twin = other[index] as FileEntry;
    if (path !== twin.path || isExecutable !== twin.isExecutable) return false;
    return Buffer.compare(content, twin.content) === 0;
  });
}

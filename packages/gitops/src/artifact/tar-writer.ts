import { tarEnd, tarHeader, tarPadding } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import type { FileEntry } from './file-entry.ts';

const root = tarHeader({ name: '.', size: 0, mode: 0o750, isDirectory: true });
/** What a header can say: eleven octal digits. */
const largestFile = 0o77777777777;

/**
 * A tar archive that depends on nothing but paths, modes and contents: no times, no owners. Files
 * must come in the order of a walk; their directories are written before them.
 *
 * ```ts
 * const files = [{ path: 'app/web.yaml', isExecutable: false, content: Buffer.from('kind: Service\n') }];
 * const bytes: Uint8Array[] = [];
 * for await (const part of tarArchive(files)) bytes.push(part);
 * Buffer.concat(bytes).length % 512; // 0
 * ```
 */
export async function* tarArchive(
  files: AsyncIterable<FileEntry> | Iterable<FileEntry>,
): AsyncGenerator<Uint8Array> {
  const directories = new Set<string>();
  yield root;
  for await (const file of files) yield* partsOf(file, directories);
  yield tarEnd;
}

/** The same archive of files that are in memory, in one piece: a thousand small parts would each wait for their turn. */
export function tarBytes(files: Iterable<FileEntry>): Buffer {
  const directories = new Set<string>();
  const parts: Uint8Array[] = [root];
  for (const file of files) parts.push(...partsOf(file, directories));
  return Buffer.concat([...parts, tarEnd]);
}

/** A file, and before it the directories above it that are not among those that were written. */
function* partsOf(file: FileEntry, directories: Set<string>): Generator<Uint8Array> {
  for (const directory of parentsOf(file.path)) {
    if (directories.has(directory)) continue;
    directories.add(directory);
    yield tarHeader({ name: directory, size: 0, mode: 0o750, isDirectory: true });
  }
  const { path, content, isExecutable } = file;
  const size = content.length;
  if (size > largestFile)
    throw new GitOpsError('WG_GITOPS_ARCHIVE', `${path} is too large for an archive`);
  yield tarHeader({ name: path, size, mode: isExecutable ? 0o700 : 0o600 });
  yield content;
  yield tarPadding(size);
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    parents.push(path.slice(0, slash));
  }
  return parents;
}

import { createHash } from 'node:crypto';
import type { Artifact } from '../api/source-objects.ts';
import { GitOpsError } from '../gitops-error.ts';

/** A file of an artifact without its content. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/** Where an artifact says which files it has, for those who want to be sure that it has them all. */
export const fileListKey = 'waygate.dev/file-list';

/**
 * How many files there are, and a digest of their names and sizes.
 *
 * ```ts
 * fileListOf([{ path: 'a.yaml', size: 3 }]); // '1 sha256:…'
 * ```
 */
export function fileListOf(files: Iterable<ListedFile>): string {
  const lines = linesOf(files);
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\0`);
  return `${lines.length} sha256:${hash.digest('hex')}`;
}

/**
 * @throws GitOpsError unless the files are those that were expected, each of its size
 */
export function checkFiles(expected: Iterable<ListedFile>, actual: Iterable<ListedFile>): void {
  const wanted = linesOf(expected);
  const found = new Set(linesOf(actual));
  const missing = wanted.find((line) => !found.has(line));
  if (missing === undefined && found.size === wanted.length) return;
  const what =
    missing === undefined
      ? `${found.size} files were read where there are ${wanted.length}`
      : `'${missing.slice(missing.indexOf(' ') + 1)}' was not read whole`;
  throw new GitOpsError('WG_GITOPS_ARCHIVE', `the source was not read whole: ${what}`);
}

/** @throws GitOpsError when an artifact says which files it has, and these are others */
export function checkFileList({ metadata, revision }: Artifact, files: Iterable<ListedFile>): void {
  const promised = metadata?.[fileListKey];
  if (promised === undefined) return;
  const actual = fileListOf(files);
  if (actual === promised) return;
  throw new GitOpsError(
    'WG_GITOPS_DIGEST',
    `failed to verify archive: revision '${revision}' promises the files ${promised} and has ${actual}`,
  );
}

/** Whether an artifact with so many files would have less than half of those that the one before has. */
export function lostMost(before: Artifact | undefined, count: number): boolean {
  const known = Number(/^(\d+) /.exec(before?.metadata?.[fileListKey] ?? '')?.[1] ?? 0);
  return count * 2 < known;
}

function linesOf(files: Iterable<ListedFile>): string[] {
  return [...files].map(({ path, size }) => `${size} ${path}`).sort();
}

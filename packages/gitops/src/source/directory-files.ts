import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareWalkOrder, type FileEntry } from '../artifact/file-entry.ts';
import { GitOpsError } from '../gitops-error.ts';
import { ignoreFile, SourceIgnore } from '../ignore/source-ignore.ts';

/**
 * The files of a directory of this machine that an artifact of it would have: no links, nothing that
 * `.sourceignore` leaves out.
 *
 * @throws GitOpsError when they are too many bytes
 */
export async function readDirectory(
  directory: string,
  maxBytes = 256 * 1024 * 1024,
): Promise<FileEntry[]> {
  const found: { path: string; isExecutable: boolean }[] = [];
  const ignoreTexts = new Map<string, string>();
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== '.git' && entry.name !== 'node_modules') await walk(path);
      } else if (entry.isFile()) {
        const { mode } = await lstat(join(directory, path));
        found.push({ path, isExecutable: (mode & 0o100) !== 0 });
        if (entry.name === ignoreFile) {
          ignoreTexts.set(below, await readFile(join(directory, path), 'utf8'));
        }
      }
    }
  };
  await walk('');
  const ignore = SourceIgnore.forTree({ files: ignoreTexts });
  const files: FileEntry[] = [];
  let size = 0;
  for (const { path, isExecutable } of found) {
    if (ignore.isIgnored(path)) continue;
    const content = await readFile(join(directory, path));
    size += content.length;
    if (size > maxBytes) {
      throw new GitOpsError('WG_GITOPS_ARCHIVE', `${directory} is larger than ${maxBytes} bytes`);
    }
    files.push({ path, isExecutable, content });
  }
  return files.sort((left, right) => compareWalkOrder(left.path, right.path));
}

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A file, directory or link of a root file system. */
export interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly line: string;
}

/** Everything that makes one file system differ from another. */
export function entriesOf(root: string, directory = root): Entry[] {
  return readdirSync(directory, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((one) => {
      const file = join(directory, one.name);
      const { mode, size, mtimeMs } = lstatSync(file);
      const path = `/${relative(root, file)}`;
      const content = one.isFile()
        ? createHash('sha256').update(readFileSync(file)).digest('hex')
        : one.isSymbolicLink()
          ? readlinkSync(file)
          : '';
      const line = `${path} ${mode.toString(8)} ${mtimeMs} ${content}`;
      const bytes = one.isFile() ? size : 0;
      return [
        { path, mode, size: bytes, line },
        ...(one.isDirectory() ? entriesOf(root, file) : []),
      ];
    });
}

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { CommandFiles } from '@waygate/helm';

/** The files of this machine. */
export const diskFiles: CommandFiles = {
  status(path) {
    const status = statusAt(path);
    if (status === undefined) return undefined;
    const kind = status.isDirectory() ? 'directory' : status.isFile() ? 'file' : 'other';
    return { kind, size: status.size, modifiedAtMs: status.mtimeMs };
  },
  realPath: (path) => {
    try {
      return realpathSync.native(path);
    } catch {
      // A link to nowhere is nowhere else.
      return path;
    }
  },
  list: (directory) => readdirSync(directory).sort(),
  read: (path) => readFileSync(path),
  write(path, data) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, data);
  },
  remove: (path) => rmSync(path, { recursive: true, force: true }),
};

/** Below a file there is nothing, either. */
function statusAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

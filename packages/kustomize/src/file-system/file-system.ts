import { compareUtf8 } from '@waygate/text';
/** What a path leads to, once every link is followed. */
export type Resolution =
  | {
      readonly kind: 'file' | 'directory';
      readonly path: string;
      /** The size in bytes of a file, where it is known at no cost. */
      readonly size?: number;
    }
  /** `at` is the first part of the path that is not there. */
  | { readonly kind: 'missing'; readonly at: string }
  /** A link leads out of the root, or in a circle. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The files that a build may read. Paths are absolute, with slashes, from the root of the file
 * system; nothing outside of it can be named. Implementations are synchronous: a build is a pure
 * function of what is here.
 */
export interface FileSystem {
  /** Follows links, and says what is there. */
  resolve(path: string): Resolution;
  /** The size in bytes of a file, at a path that `resolve` returned. */
  size(path: string): number;
  /** The content of a file, at a path that `resolve` returned. */
  read(path: string): Uint8Array;
  /** The same as text, where that can be had for less. */
  readText?(path: string): string;
  /** How messages name a path: with the place on the disk, where there is one. */
  describe(path: string): string;
}

/** A file system whose directories can be looked through, as editing a kustomization needs it. */
export interface ListedFileSystem extends FileSystem {
  /** The names in a directory, in the order of their bytes; none where there is no directory. */
  list(path: string): readonly string[];
}

/** Joins and normalises; `..` at the root stays at the root. */
export function joinPath(base: string, path: string): string {
  const parts: string[] = [];
  const all = path.startsWith('/') ? path : `${base}/${path}`;
  for (const part of all.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The way from one directory to another place; `.` to itself. */
export function relativePath(from: string, to: string): string {
  const start = from.split('/').filter((part) => part !== '');
  const end = to.split('/').filter((part) => part !== '');
  let same = 0;
  while (same < start.length && same < end.length && start[same] === end[same]) same += 1;
  const parts = [...start.slice(same).map(() => '..'), ...end.slice(same)];
  return parts.length === 0 ? '.' : parts.join('/');
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** Whether a path is a directory or something in it. */
export function isInside(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

/** Names as Go sorts strings. */
export function inByteOrder(names: readonly string[]): string[] {
  return [...names].sort(compareUtf8);
}

import { oncePer } from '@waygate/text';
import { FileTree } from '../artifact/file-tree.ts';

/** The files of a tree in memory that threads share: given to another one without a copy. */
export interface PackedTree {
  readonly buffer: SharedArrayBuffer;
  readonly files: readonly {
    readonly path: string;
    readonly start: number;
    readonly end: number;
  }[];
}

/** Packs a tree, once for all who build from it. */
export const packTree = oncePer((tree: FileTree): PackedTree => {
  const contents = tree.list().map((path) => ({ path, content: tree.read(path) }));
  const size = contents.reduce((sum, { content }) => sum + content.length, 0);
  const buffer = new SharedArrayBuffer(size);
  const bytes = new Uint8Array(buffer);
  let start = 0;
  const files = contents.map(({ path, content }) => {
    bytes.set(content, start);
    const file = { path, start, end: start + content.length };
    start = file.end;
    return file;
  });
  return { buffer, files };
});

export function unpackTree({ buffer, files }: PackedTree): FileTree {
  return FileTree.of(
    files.map(({ path, start, end }) => ({
      path,
      content: new Uint8Array(buffer, start, end - start),
    })),
  );
}

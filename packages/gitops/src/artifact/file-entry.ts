/** One regular file of a source. */
export interface FileEntry {
  /** From the root, with slashes, without a leading one. */
  readonly path: string;
  readonly isExecutable: boolean;
  readonly content: Uint8Array;
}

/** Files in the order of a walk: directories and files of one directory by name. */
export function compareWalkOrder(left: string, right: string): number {
  const leftParts = left.split('/');
  const rightParts = right.split('/');
  for (let index = 0; ; index++) {
    const one = leftParts[index];
    const other = rightParts[index];
    if (one === undefined || other === undefined) return leftParts.length - rightParts.length;
    if (one !== other) return one < other ? -1 : 1;
  }
}

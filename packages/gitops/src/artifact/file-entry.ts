/** One regular file of a source. */
export interface FileEntry {
  /** From the root, with slashes, without a leading one. */
  readonly path: string;
  readonly isExecutable: boolean;
  readonly content: Uint8Array;
}

/** Files in the order of a walk: directories and files of one directory by name. */
export function compareWalkOrder(left: string, right: string): number {
  const common = Math.min(left.length, right.length);
  for (let index = 0; index < common; index++) {
    const one = left.charCodeAt(index);
    const other = right.charCodeAt(index);
    if (one === other) continue;
    // The name of a directory ends here, and is the beginning of the other name.
    if (one === slash) return -1;
    if (other === slash) return 1;
    return one - other;
  }
  return left.length - right.length;
}

const slash = '/'.charCodeAt(0);

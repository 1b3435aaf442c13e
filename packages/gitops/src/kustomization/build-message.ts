import type { DynamicObject } from '@waygate/schema';
import type { KustomizationSpec } from '../api/kustomization-object.ts';
import type { FileTree, TreeReads } from '../artifact/file-tree.ts';
import type { SopsDecryption } from '../sops/sops-decryptor.ts';
import type { PackedTree } from './packed-tree.ts';

/** A build as a worker is asked for it. */
export interface BuildRequest {
  readonly tree: PackedTree;
  readonly path: string;
  readonly spec: KustomizationSpec;
  readonly variables: ReadonlyMap<string, string>;
  /** What is to be said where variables are needed. */
  readonly variablesProblem?: string | undefined;
  readonly isStrict: boolean;
  /** Keys go from thread to thread of one process, and into nothing else. */
  readonly decryption?: SopsDecryption | undefined;
}

/** What a build has asked of its tree, without what it was told. */
interface ReadPaths {
  readonly files: readonly string[];
  readonly directories: readonly string[];
  readonly lists: readonly string[];
}

export type BuildAnswer =
  | {
      readonly kind: 'built';
      readonly objects: readonly DynamicObject[];
      readonly digest: string;
      readonly reads: ReadPaths;
    }
  | { readonly kind: 'failed'; readonly message: string };

export function readPathsOf({ files, directories, lists }: TreeReads): ReadPaths {
  return {
    files: [...files.keys()],
    directories: [...directories.keys()],
    lists: [...lists.keys()],
  };
}

/** What a tree answers to all of it. */
export function readAgain(tree: FileTree, { files, directories, lists }: ReadPaths): TreeReads {
  return {
    files: new Map(files.map((path) => [path, tree.has(path) ? tree.read(path) : undefined])),
    directories: new Map(directories.map((path) => [path, tree.hasDirectory(path)])),
    lists: new Map(lists.map((path) => [path, tree.list(path)])),
  };
}

import type { Kustomization } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import { type FileTree, normalized } from '../artifact/file-tree.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { PhaseError } from './phase-error.ts';

/** The files of an artifact, and the directory of them that a Kustomization is about. */
export interface SourceFiles {
  readonly files: FileTree;
  readonly path: string;
}

/**
 * Gets the files of a Kustomization. Undefined when the artifact is gone: its source is about to make
 * a new one.
 */
export async function fetchSource(
  fetcher: ArtifactFetcher,
  { spec }: Kustomization,
  artifact: Artifact,
  signal: AbortSignal,
): Promise<SourceFiles | undefined> {
  let files: FileTree;
  try {
    files = await fetcher.fetch(artifact, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitOpsError && error.code === 'WG_GITOPS_NOT_FOUND') return undefined;
    throw new PhaseError('ArtifactFailed', messageOf(error), error);
  }
  const path = normalized(spec.path ?? '/');
  if (files.hasDirectory(path)) return { files, path };
  throw new PhaseError('ArtifactFailed', `kustomization path not found: ${spec.path}`);
}

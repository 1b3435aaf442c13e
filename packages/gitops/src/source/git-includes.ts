import type { Artifact, GitRepository } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { FileEntry } from '../artifact/file-entry.ts';
import { normalized } from '../artifact/file-tree.ts';
import { GitOpsError } from '../gitops-error.ts';

/** The artifact of the repository with a key. */
type ArtifactOf = (key: string) => Artifact | undefined;

/** Why the files of other repositories cannot be had yet; undefined when they can. */
export function missingInclude(
  { metadata, spec }: GitRepository,
  artifactOf: ArtifactOf,
): { reason: string; message: string } | undefined {
  for (const { repository } of spec.include ?? []) {
    const key = `${metadata.namespace}/${repository.name}`;
    if (artifactOf(key) !== undefined) continue;
    return {
      reason: 'NoArtifact',
      message: `no artifact available for include '${repository.name}'`,
    };
  }
  return undefined;
}

/** The files of other repositories, at the places where they are wanted. */
export async function includedFiles(
  { metadata, spec }: GitRepository,
  artifactOf: ArtifactOf,
  fetcher: ArtifactFetcher,
  signal: AbortSignal,
): Promise<{ files: FileEntry[]; artifacts: Artifact[] }> {
  const files: FileEntry[] = [];
  const artifacts: Artifact[] = [];
  for (const { repository, fromPath, toPath } of spec.include ?? []) {
    const artifact = artifactOf(`${metadata.namespace}/${repository.name}`);
    if (artifact === undefined) continue;
    const tree = await fetcher.fetch(artifact, signal);
    const from = normalized(fromPath ?? '/');
    if (!tree.hasDirectory(from)) {
      throw new GitOpsError(
        'WG_GITOPS_ARCHIVE',
        `failed to include '${repository.name}': it has no directory '${fromPath}'`,
      );
    }
    const to = normalized(toPath ?? repository.name);
    for (const path of tree.list(from)) {
      const below = from === '/' ? path : path.slice(from.length);
      const target = normalized(`${to}/${below}`).slice(1);
      files.push({ path: target, isExecutable: false, content: tree.read(path) });
    }
    artifacts.push(artifact);
  }
  return { files, artifacts };
}

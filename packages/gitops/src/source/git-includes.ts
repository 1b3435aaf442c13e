import type { Artifact, GitRepository } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { FileEntry } from '../artifact/file-entry.ts';
import { normalized } from '../artifact/file-tree.ts';
import { SourceFailure } from './source-failure.ts';

/** The repository with a key. */
type RepositoryOf = (key: string) => GitRepository | undefined;

/** Why the files of other repositories cannot be had yet; undefined when they can. */
export function missingInclude(
  { metadata, spec }: GitRepository,
  repositoryOf: RepositoryOf,
): { reason: string; message: string } | undefined {
  for (const { repository } of spec.include ?? []) {
    const { name } = repository;
    const found = repositoryOf(`${metadata.namespace}/${name}`);
    if (found === undefined) {
      const why = `GitRepository.source.toolkit.fluxcd.io "${name}" not found`;
      return {
        reason: 'NotFound',
        message: `could not get resource for include '${name}': ${why}`,
      };
    }
    if (found.status?.artifact !== undefined) continue;
    return { reason: 'NoArtifact', message: `no artifact available for include '${name}'` };
  }
  return undefined;
}

/** The files of other repositories, at the places where they are wanted. */
export async function includedFiles(
  { metadata, spec }: GitRepository,
  repositoryOf: RepositoryOf,
  fetcher: ArtifactFetcher,
  signal: AbortSignal,
): Promise<{ files: FileEntry[]; artifacts: Artifact[] }> {
  const files: FileEntry[] = [];
  const artifacts: Artifact[] = [];
  for (const { repository, fromPath, toPath } of spec.include ?? []) {
    const artifact = repositoryOf(`${metadata.namespace}/${repository.name}`)?.status?.artifact;
    if (artifact === undefined) {
      // It was there a moment ago. Without its files this would be another artifact.
      const message = `no artifact available for include '${repository.name}'`;
      throw new SourceFailure('IncludeUnavailable', 'NoArtifact', message, { retry: 'dependency' });
    }
    const tree = await fetcher.fetch(artifact, signal);
    const from = normalized(fromPath ?? '/');
    const to = normalized(toPath ?? repository.name);
    if (!tree.hasDirectory(from)) {
      throw new SourceFailure(
        'StorageOperationFailed',
        'CopyFailure',
        `failed to copy '${repository.name}' include from ${fromPath} to ${to.slice(1)}: there is no such directory`,
      );
    }
    for (const path of tree.list(from)) {
      const below = from === '/' ? path : path.slice(from.length);
      const target = normalized(`${to}/${below}`).slice(1);
      files.push({ path: target, isExecutable: false, content: tree.read(path) });
    }
    artifacts.push(artifact);
  }
  return { files, artifacts };
}

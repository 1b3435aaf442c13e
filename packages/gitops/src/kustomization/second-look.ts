import type { Artifact } from '../api/source-objects.ts';
import type { ArtifactFetcher } from '../artifact/artifact-fetcher.ts';
import type { FileTree } from '../artifact/file-tree.ts';
import { messageOf } from '../gitops-error.ts';
import type { KustomizationPass } from './kustomization-pass.ts';
import { PhaseError } from './phase-error.ts';
import type { Sources } from './source-lookup.ts';

interface SecondLookOptions {
  readonly sources: Sources;
  readonly fetcher: ArtifactFetcher;
}

/** What a Kustomization was built from. */
export interface BuiltFrom {
  readonly artifact: Artifact;
  readonly files: FileTree;
}

/** Whether so much would go that it is worth a second look: more than half of what there is. */
export function losesMost(stale: number, all: number): boolean {
  return stale * 2 > all;
}

/**
 * Gets an artifact anew, past all caches, and checks it from end to end, before most of what it made
 * is deleted on its word. What is in it counts: a commit that deletes everything still does. An
 * artifact that cannot be had again, is not whole or has other files than before deletes nothing.
 *
 * @throws PhaseError `ArtifactFailed`
 */
export async function lookAgain(
  pass: KustomizationPass,
  { artifact, files }: BuiltFrom,
  { sources, fetcher }: SecondLookOptions,
  signal: AbortSignal,
): Promise<void> {
  const refuse = (why: string, cause?: unknown) => {
    fetcher.forget(artifact);
    const said = `nothing is pruned: most objects of the revision ${artifact.revision} are gone, and ${why}`;
    return new PhaseError('ArtifactFailed', said, cause);
  };
  const lookup = sources.find(pass.object);
  if (lookup.kind !== 'found' || lookup.artifact.digest !== artifact.digest) {
    throw refuse('its source no longer offers it');
  }
  let isSame: boolean;
  try {
    isSame = await fetcher.isStill(artifact, files, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw refuse(`it cannot be verified: ${messageOf(error)}`, error);
  }
  if (!isSame) throw refuse('it has other files than before');
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@waygate/runtime';
import { expect } from 'vitest';
import type { Artifact, SourceStatus } from '../../../packages/gitops/src/api/source-objects.ts';
import { ArtifactFetcher } from '../../../packages/gitops/src/artifact/artifact-fetcher.ts';
import { ArtifactStorage } from '../../../packages/gitops/src/artifact/artifact-storage.ts';
import { SourcePass } from '../../../packages/gitops/src/source/source-pass.ts';
import type {
  ReconciledSource,
  SourceWorker,
} from '../../../packages/gitops/src/source/source-reconciler.ts';
import type { SourceSecrets } from '../../../packages/gitops/src/source/source-secrets.ts';

/** A clock on which every pause is over at once. */
export const impatientClock: Clock = Object.create(systemClock, {
  sleep: { value: async () => true },
}) as Clock;

/** Nobody has a Secret. */
export const noSecrets = {
  read: async () => undefined,
  pullSecretNames: async () => [],
} as unknown as SourceSecrets;

/** What one pass came to: the files of its artifact, or why it has none. */
export type PassOutcome =
  | { readonly files: Record<string, string>; readonly artifact: Artifact }
  | { readonly error: string };

/** One source worker with a storage of its own, without controllers around it. */
export class SourceBench<T extends ReconciledSource<S>, S extends SourceStatus> {
  readonly directory = mkdtempSync(join(tmpdir(), 'waygate-cut-'));
  readonly storage = new ArtifactStorage({ directory: this.directory });

  /** One pass of an object that has this artifact, or none yet. */
  async pass(
    worker: SourceWorker<T, S>,
    object: T,
    before?: Artifact,
    signal = new AbortController().signal,
  ): Promise<PassOutcome> {
    const pass = new SourcePass<S>(object, () => 0);
    if (before !== undefined) pass.status.artifact = before;
    try {
      await worker.update(object, pass, signal);
    } catch (error) {
      // What went wrong can be told, and nothing new is offered.
      const { message } = worker.explain(error);
      expect(message).not.toBe('');
      expect(pass.status.artifact).toBe(before);
      return { error: message };
    }
    const { artifact } = pass.status;
    if (artifact === undefined) throw new Error('a pass that went well has an artifact');
    const tree = await new ArtifactFetcher({ storage: this.storage }).fetch(artifact);
    const files = tree.list().map((path) => [path.slice(1), tree.readText(path)]);
    return { files: Object.fromEntries(files) as Record<string, string>, artifact };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

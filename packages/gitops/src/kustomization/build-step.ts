import type { KubeClient } from '@waygate/kube';
import type { Kustomization } from '../api/kustomization-object.ts';
import { messageOf } from '../gitops-error.ts';
import { loadVariables } from '../substitution/variables.ts';
import type { SourceFiles } from './artifact-step.ts';
import type { BuiltManifests, ManifestDecryptor } from './build-manifests.ts';
import { BuildMemory } from './build-memory.ts';
import { BuildPool } from './build-pool.ts';
import { PhaseError } from './phase-error.ts';

export interface ManifestBuilderOptions {
  readonly client: KubeClient;
  readonly isStrictSubstitution: boolean;
  /** Makes what takes encryption off manifests; undefined for a spec that asks for none. */
  readonly decryptorOf: (
    object: Kustomization,
    signal: AbortSignal,
  ) => Promise<ManifestDecryptor | undefined>;
}

/** Builds what Kustomizations apply, unless nothing that goes into it has changed since. */
export class ManifestBuilder {
  private readonly options: ManifestBuilderOptions;
  private readonly built = new BuildMemory();
  private readonly pool = new BuildPool();

  constructor(options: ManifestBuilderOptions) {
    this.options = options;
  }

  /** @throws PhaseError `BuildFailed` */
  async build(
    object: Kustomization,
    { files, path }: SourceFiles,
    signal: AbortSignal,
  ): Promise<BuiltManifests> {
    const { client, decryptorOf, isStrictSubstitution: isStrict } = this.options;
    const { spec, metadata } = object;
    try {
      const { namespace = '' } = metadata;
      let variables = new Map<string, string>();
      let variablesError: Error | undefined;
      try {
        variables = await loadVariables(client, spec.postBuild, namespace, signal);
      } catch (error) {
        signal.throwIfAborted();
        variablesError = error instanceof Error ? error : new Error(String(error));
      }
      const decryptor = await decryptorOf(object, signal);
      // Keys may change without a word, so what is decrypted is built each time.
      const isKept = decryptor === undefined && variablesError === undefined;
      const key = isKept ? `${namespace}/${metadata.name}` : undefined;
      const known = key && this.built.recall(key, object, variables, files);
      if (known) return known;
      const built = await this.pool.build(
        {
          files,
          path,
          spec,
          variables,
          variablesError,
          isStrict,
          decryptor,
        },
        signal,
      );
      if (key !== undefined) this.built.remember(key, object, variables, built.reads, built);
      return built;
    } catch (error) {
      signal.throwIfAborted();
      throw new PhaseError('BuildFailed', messageOf(error), error);
    }
  }

  /** Ends threads that are kept for the next build. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  forget(key: string): void {
    this.built.forget(key);
  }
}

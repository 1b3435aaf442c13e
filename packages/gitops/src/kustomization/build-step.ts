import type { KubeClient } from '@waygate/kube';
import type { Kustomization } from '../api/kustomization-object.ts';
import { messageOf } from '../gitops-error.ts';
import type { SopsDecryption } from '../sops/sops-decryptor.ts';
import { loadVariables } from '../substitution/variables.ts';
import type { SourceFiles } from './artifact-step.ts';
import type { BuiltManifests } from './build-manifests.ts';
import { BuildMemory, buildInputs } from './build-memory.ts';
import { BuildPool } from './build-pool.ts';
import { PhaseError } from './phase-error.ts';

export interface ManifestBuilderOptions {
  readonly client: KubeClient;
  readonly isStrictSubstitution: boolean;
  /** What takes encryption off manifests; undefined for a spec that asks for none. */
  readonly decryptionOf: (
    object: Kustomization,
    signal: AbortSignal,
  ) => Promise<SopsDecryption | undefined>;
}

/** Builds what Kustomizations apply, unless nothing that goes into it has changed since. */
export class ManifestBuilder {
  readonly #options: ManifestBuilderOptions;
  readonly #built = new BuildMemory();
  readonly #pool = new BuildPool();

  constructor(options: ManifestBuilderOptions) {
    this.#options = options;
  }

  /** @throws PhaseError `BuildFailed` */
  async build(
    object: Kustomization,
    { files, path }: SourceFiles,
    signal: AbortSignal,
  ): Promise<BuiltManifests> {
    const { client, decryptionOf, isStrictSubstitution: isStrict } = this.#options;
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
      const decryption = await decryptionOf(object, signal);
      const key = variablesError === undefined ? `${namespace}/${metadata.name}` : undefined;
      const inputs = buildInputs(object, variables, decryption);
      const known = key && this.#built.recall(key, inputs, files);
      if (known) return known;
      const built = await this.#pool.build(
        {
          files,
          path,
          spec,
          variables,
          variablesError,
          isStrict,
          decryption,
        },
        signal,
      );
      if (key !== undefined) this.#built.remember(key, inputs, built);
      return built;
    } catch (error) {
      signal.throwIfAborted();
      throw new PhaseError('BuildFailed', messageOf(error), error);
    }
  }

  /** Ends threads that are kept for the next build. */
  async close(): Promise<void> {
    await this.#pool.close();
  }

  forget(key: string): void {
    this.#built.forget(key);
  }
}

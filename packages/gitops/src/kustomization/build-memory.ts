import { digestOf } from '@waygate/apply';
import type { Kustomization, KustomizationSpec } from '../api/kustomization-object.ts';
import type { FileTree } from '../artifact/file-tree.ts';
import type { SopsDecryption } from '../sops/sops-decryptor.ts';
import type { BuiltManifests } from './build-manifests.ts';

interface Remembered {
  readonly inputs: string;
  readonly built: BuiltManifests;
}

/**
 * What was built last, and which files that took. A new revision that left those files as they were
 * need not be built again, however much else it changed.
 */
export class BuildMemory {
  /** The least recently used first. */
  readonly #byKey = new Map<string, Remembered>();
  readonly #capacity: number;

  constructor(capacity = 5000) {
    this.#capacity = capacity;
  }

  /** What would come out, if it is known. */
  recall(key: string, inputs: string, files: FileTree): BuiltManifests | undefined {
    const known = this.#byKey.get(key);
    if (known?.inputs !== inputs || !files.isSameFor(known.built.reads)) return undefined;
    this.#byKey.delete(key);
    this.#byKey.set(key, known);
    return known.built;
  }

  remember(key: string, inputs: string, built: BuiltManifests): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, { inputs, built });
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#capacity) break;
      this.#byKey.delete(oldest);
    }
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

/** What a build depends on beside files, as a digest: of keys nothing is kept. */
export function buildInputs(
  { spec }: Kustomization,
  variables: ReadonlyMap<string, string>,
  decryption: SopsDecryption | undefined,
): string {
  const fields: (keyof KustomizationSpec)[] = [
    'path',
    'targetNamespace',
    'namePrefix',
    'nameSuffix',
    'patches',
    'patchesStrategicMerge',
    'patchesJson6902',
    'images',
    'components',
    'ignoreMissingComponents',
    'buildMetadata',
    'postBuild',
  ];
  return digestOf([fields.map((field) => spec[field] ?? null), [...variables], decryption ?? null]);
}

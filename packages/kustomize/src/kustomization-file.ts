import { textOfYamlFile } from '@waygate/text';
import { KustomizeError } from './kustomize-error.ts';
import type { Loader } from './loader.ts';

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The kustomization file of a directory: its name, and what it says. */
export function kustomizationFileOf(loader: Pick<Loader, 'load' | 'shownRoot'>): {
  readonly name: string;
  readonly text: string;
} {
  const found = fileNames.flatMap((name) => {
    try {
      return [{ name, bytes: loader.load(name) }];
    } catch (error) {
      const isAbsent =
        error instanceof KustomizeError &&
        (error.code === 'WG_KUSTOMIZE_NOT_FOUND' || error.code === 'WG_KUSTOMIZE_BUILD');
      if (isAbsent) return [];
      throw error;
    }
  });
  if (found.length === 0) {
    throw new KustomizeError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${loader.shownRoot}'`,
      { code: 'WG_KUSTOMIZE_NOT_FOUND' },
    );
  }
  if (found.length > 1) {
    throw new KustomizeError(`Found multiple kustomization files under: ${loader.shownRoot}\n`);
  }
  const { name, bytes } = found[0]!;
  return { name, text: textOfYamlFile(bytes) };
}

import { loadCrdConfig } from './config/crd-config.ts';
import { defaultConfig } from './config/default-config.ts';
import { decodeYaml } from './config/read-kustomization.ts';
import { transformerConfigShape } from './config/shapes.ts';
import { emptyConfig, mergeConfigs, type TransformerConfig } from './config/transformer-config.ts';
import { wrap } from './kustomize-error.ts';
import type { Loader } from './loader.ts';

/** What the `configurations` of a kustomization say about fields, beside what is built in. */
export function transformerConfig(loader: Loader, paths: readonly string[]): TransformerConfig {
  if (paths.length === 0) return defaultConfig;
  let config: TransformerConfig = emptyConfig;
  for (const path of paths) {
    const given = decodeYaml<Partial<TransformerConfig>>(
      loader.loadText(path),
      transformerConfigShape,
      {
        isStrict: true,
        context: 'error unmarshaling JSON: while decoding JSON',
        file: loader.show(path),
      },
    );
    const references = (given?.nameReference ?? []).map((reference) => ({
      ...reference,
      fieldSpecs: reference.fieldSpecs ?? [],
    }));
    config = mergeConfigs(config, { ...emptyConfig, ...given, nameReference: references });
  }
  return mergeConfigs(config, defaultConfig);
}

/** What the definitions in the `crds` of a kustomization say about fields. */
export function crdConfig(loader: Loader, paths: readonly string[]): TransformerConfig {
  try {
    return loadCrdConfig(loader, paths);
  } catch (error) {
    throw wrap(error, `loading CRDs [${paths.join(' ')}]`);
  }
}

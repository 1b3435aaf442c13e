import type { Kustomization } from '../config/kustomization.ts';

/**
 * The fields in the order in which those that a file lacks are added at its end. A field that is
 * not here (`imageTags`) is no field to the comments before it either: they go to the one above.
 */
export const fieldOrder: readonly (keyof Kustomization)[] = [
  'apiVersion',
  'kind',
  'metadata',
  'sortOptions',
  'resources',
  'bases',
  'namePrefix',
  'nameSuffix',
  'namespace',
  'crds',
  'commonLabels',
  'labels',
  'commonAnnotations',
  'patchesStrategicMerge',
  'patchesJson6902',
  'patches',
  'configMapGenerator',
  'secretGenerator',
  'helmCharts',
  'helmChartInflationGenerator',
  'helmGlobals',
  'generatorOptions',
  'vars',
  'images',
  'replacements',
  'replicas',
  'configurations',
  'generators',
  'transformers',
  'validators',
  'components',
  'openapi',
  'buildMetadata',
];

const byLowerCase = new Map(fieldOrder.map((field) => [field.toLowerCase(), field]));

/** The field that a line starts, if any. */
export function fieldOfLine(line: string): keyof Kustomization | undefined {
  const colon = line.indexOf(':');
  return colon < 0 ? undefined : byLowerCase.get(line.slice(0, colon).toLowerCase());
}

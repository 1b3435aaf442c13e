import {
  any,
  bool,
  embedded,
  int,
  int64,
  list,
  type Shape,
  string,
  stringMap,
  strings,
  struct,
} from './decode.ts';

const gvk = embedded({ group: string, version: string, kind: string });

const resourceId = embedded({ Gvk: gvk, name: string, namespace: string });

export const fieldSpecShape = struct('FieldSpec', {
  Gvk: gvk,
  path: string,
  create: bool,
});

export const selectorShape = struct('Selector', {
  ResId: resourceId,
  annotationSelector: string,
  labelSelector: string,
});

export const patchShape = struct('Patch', {
  path: string,
  patch: string,
  target: selectorShape,
  options: struct('PatchArgs', { allowNameChange: bool, allowKindChange: bool }),
});

export const imageShape = struct('Image', {
  name: string,
  newName: string,
  tagSuffix: string,
  newTag: string,
  digest: string,
});

const fieldOptions = struct('FieldOptions', {
  delimiter: string,
  index: int,
  encoding: string,
  create: bool,
});

const replacement = {
  sourceValue: any,
  source: struct('SourceSelector', {
    ResId: resourceId,
    fieldPath: string,
    options: fieldOptions,
  }),
  targets: list(
    struct('TargetSelector', {
      select: selectorShape,
      reject: list(selectorShape),
      fieldPaths: strings,
      options: fieldOptions,
    }),
  ),
};

export const replacementShape = struct('Replacement', replacement);

export const replacementFieldShape = struct('ReplacementField', {
  Replacement: embedded(replacement),
  path: string,
});

export const replicaShape = struct('Replica', { name: string, count: int64 });

const varShape = struct('Var', {
  name: string,
  objref: struct('Target', {
    apiVersion: string,
    Gvk: gvk,
    name: string,
    namespace: string,
  }),
  fieldref: struct('FieldSelector', { fieldpath: string }),
});

const generatorOptionsShape = struct('GeneratorOptions', {
  labels: stringMap,
  annotations: stringMap,
  disableNameSuffixHash: bool,
  immutable: bool,
});

const generatorArgs = embedded({
  namespace: string,
  name: string,
  behavior: string,
  KvPairSources: embedded({ literals: strings, files: strings, envs: strings, env: string }),
  options: generatorOptionsShape,
});

const configMapArgsShape = struct('ConfigMapArgs', { GeneratorArgs: generatorArgs });

/** The same where a file of its own configures the generator. */
export const configMapPluginShape = struct('ConfigMapGeneratorPlugin', {
  ConfigMapArgs: embedded({ GeneratorArgs: generatorArgs }),
});

export const secretPluginShape = struct('SecretGeneratorPlugin', {
  SecretArgs: embedded({ GeneratorArgs: generatorArgs, type: string }),
});

const secretArgsShape = struct('SecretArgs', {
  GeneratorArgs: generatorArgs,
  type: string,
});

const labelShape = struct('Label', {
  pairs: stringMap,
  includeSelectors: bool,
  includeTemplates: bool,
  fields: list(fieldSpecShape),
});

export const helmGlobalsFields = { chartHome: string, configHome: string };

export const helmChartFields = {
  name: string,
  version: string,
  digest: string,
  repo: string,
  releaseName: string,
  namespace: string,
  nameTemplate: string,
  additionalValuesFiles: strings,
  valuesFile: string,
  valuesInline: any,
  valuesMerge: string,
  includeCRDs: bool,
  skipHooks: bool,
  skipTests: bool,
  apiVersions: strings,
  kubeVersion: string,
  debug: bool,
  devel: bool,
};

export const objectMetaShape = struct('ObjectMeta', {
  name: string,
  namespace: string,
  labels: stringMap,
  annotations: stringMap,
});

const sortOptionsShape = struct('SortOptions', {
  order: string,
  legacySortOptions: struct('LegacySortOptions', { orderFirst: strings, orderLast: strings }),
});

export const kustomizationShape: Shape = struct('Kustomization', {
  TypeMeta: embedded({ apiVersion: string, kind: string }),
  metadata: objectMetaShape,
  openapi: stringMap,
  namePrefix: string,
  nameSuffix: string,
  namespace: string,
  commonLabels: stringMap,
  labels: list(labelShape),
  commonAnnotations: stringMap,
  patchesStrategicMerge: list({ kind: 'string' }),
  patchesJson6902: list(patchShape),
  patches: list(patchShape),
  images: list(imageShape),
  imageTags: list(imageShape),
  replacements: list(replacementFieldShape),
  replicas: list(replicaShape),
  vars: list(varShape),
  sortOptions: sortOptionsShape,
  resources: strings,
  components: strings,
  crds: strings,
  bases: strings,
  configMapGenerator: list(configMapArgsShape),
  secretGenerator: list(secretArgsShape),
  helmGlobals: struct('HelmGlobals', helmGlobalsFields),
  helmCharts: list(struct('HelmChart', helmChartFields)),
  helmChartInflationGenerator: list(
    struct('HelmChartArgs', {
      chartName: string,
      chartVersion: string,
      chartRepoUrl: string,
      chartHome: string,
      chartRepoName: string,
      helmBin: string,
      helmHome: string,
      values: string,
      valuesLocal: any,
      valuesMerge: string,
      releaseName: string,
      releaseNamespace: string,
      extraArgs: strings,
    }),
  ),
  generatorOptions: generatorOptionsShape,
  configurations: strings,
  generators: strings,
  transformers: strings,
  validators: strings,
  buildMetadata: strings,
});

const nameReferenceShape = struct('NameBackReferences', {
  Gvk: gvk,
  fieldSpecs: list(fieldSpecShape),
});

const fieldSpecs: Shape = { kind: 'list', of: fieldSpecShape, goName: 'types.FsSlice' };

export const transformerConfigShape: Shape = struct('TransformerConfig', {
  namePrefix: fieldSpecs,
  nameSuffix: fieldSpecs,
  namespace: fieldSpecs,
  commonLabels: fieldSpecs,
  labels: fieldSpecs,
  templateLabels: fieldSpecs,
  commonAnnotations: fieldSpecs,
  nameReference: list(nameReferenceShape),
  varReference: fieldSpecs,
  images: fieldSpecs,
  replicas: fieldSpecs,
});

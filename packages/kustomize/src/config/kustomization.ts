import type { Selector } from '../selector/selector.ts';
import type { FieldSpec } from './field-spec.ts';

export interface Label {
  readonly pairs?: ReadonlyMap<string, string>;
  readonly includeSelectors?: boolean;
  readonly includeTemplates?: boolean;
  readonly fields?: readonly FieldSpec[];
}

export interface Patch {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: Selector;
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean };
}

export interface Image {
  readonly name?: string;
  readonly newName?: string;
  readonly tagSuffix?: string;
  readonly newTag?: string;
  readonly digest?: string;
}

export interface FieldOptions {
  readonly delimiter?: string;
  readonly index?: number;
  readonly encoding?: string;
  readonly create?: boolean;
}

export interface SourceSelector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly fieldPath?: string;
  readonly options?: FieldOptions;
}

export interface TargetSelector {
  readonly select?: Selector;
  readonly reject?: readonly Selector[];
  readonly fieldPaths?: readonly string[];
  readonly options?: FieldOptions;
}

export interface Replacement {
  /** The value itself, in place of a source. */
  readonly sourceValue?: string | number | bigint | boolean | null;
  readonly source?: SourceSelector;
  readonly targets?: readonly TargetSelector[];
}

export interface ReplacementField extends Replacement {
  readonly path?: string;
}

export interface Replica {
  readonly name?: string;
  readonly count?: number;
}

export interface Var {
  readonly name?: string;
  readonly objref?: {
    readonly apiVersion?: string;
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly fieldref?: { readonly fieldpath?: string };
}

export interface SortOptions {
  readonly order?: string;
  readonly legacySortOptions?: {
    readonly orderFirst?: readonly string[];
    readonly orderLast?: readonly string[];
  };
}

export interface GeneratorOptions {
  readonly labels?: ReadonlyMap<string, string>;
  readonly annotations?: ReadonlyMap<string, string>;
  readonly disableNameSuffixHash?: boolean;
  readonly immutable?: boolean;
}

/** What a ConfigMap or Secret is generated from. */
export interface GeneratorArgs {
  readonly namespace?: string;
  readonly name?: string;
  readonly behavior?: string;
  readonly literals?: readonly string[];
  readonly files?: readonly string[];
  readonly envs?: readonly string[];
  readonly env?: string;
  readonly options?: GeneratorOptions;
  /** Of a Secret. */
  readonly type?: string;
}

export interface HelmChart {
  readonly name?: string;
  readonly version?: string;
  /** Of a chart in an OCI registry, such as `sha256:…`. */
  readonly digest?: string;
  readonly repo?: string;
  readonly releaseName?: string;
  readonly namespace?: string;
  readonly nameTemplate?: string;
  readonly valuesFile?: string;
  readonly additionalValuesFiles?: readonly string[];
  readonly valuesInline?: unknown;
  readonly valuesMerge?: string;
  readonly includeCRDs?: boolean;
  readonly skipHooks?: boolean;
  readonly skipTests?: boolean;
  readonly debug?: boolean;
  readonly apiVersions?: readonly string[];
  readonly kubeVersion?: string;
  readonly devel?: boolean;
}

/** A chart in the spelling that came before `helmCharts`. */
export interface HelmChartArgs {
  readonly chartName?: string;
  readonly chartVersion?: string;
  readonly chartRepoUrl?: string;
  readonly chartHome?: string;
  readonly helmHome?: string;
  readonly values?: string;
  readonly valuesLocal?: unknown;
  readonly valuesMerge?: string;
  readonly releaseName?: string;
}

export interface HelmGlobals {
  readonly chartHome?: string;
  readonly configHome?: string;
}

/** A kustomization file as data, with deprecated spellings already moved to the current ones. */
export interface Kustomization {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: ReadonlyMap<string, string>;
    readonly annotations?: ReadonlyMap<string, string>;
  };
  readonly openapi?: ReadonlyMap<string, string>;
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly namespace?: string;
  readonly commonLabels?: ReadonlyMap<string, string>;
  readonly labels?: readonly Label[];
  readonly commonAnnotations?: ReadonlyMap<string, string>;
  readonly patchesStrategicMerge?: readonly string[];
  readonly patchesJson6902?: readonly Patch[];
  readonly patches?: readonly Patch[];
  readonly images?: readonly Image[];
  readonly imageTags?: readonly Image[];
  readonly replacements?: readonly ReplacementField[];
  readonly replicas?: readonly Replica[];
  readonly vars?: readonly Var[];
  readonly sortOptions?: SortOptions;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly crds?: readonly string[];
  readonly bases?: readonly string[];
  readonly configMapGenerator?: readonly GeneratorArgs[];
  readonly secretGenerator?: readonly GeneratorArgs[];
  readonly helmGlobals?: HelmGlobals;
  readonly helmCharts?: readonly HelmChart[];
  readonly helmChartInflationGenerator?: readonly HelmChartArgs[];
  readonly generatorOptions?: GeneratorOptions;
  readonly configurations?: readonly string[];
  readonly generators?: readonly string[];
  readonly transformers?: readonly string[];
  readonly validators?: readonly string[];
  readonly buildMetadata?: readonly string[];
}

import type { FieldSpec } from './config/field-spec.ts';
import type {
  HelmChart,
  HelmChartArgs,
  HelmGlobals,
  Kustomization,
  Label,
  Patch,
} from './config/kustomization.ts';
import { mergeSpecs, type TransformerConfig } from './config/transformer-config.ts';
import { generateConfigMap, generateSecret, mergeGeneratorOptions } from './generators/generate.ts';
import { wrap } from './kustomize-error.ts';
import { helmGenerator } from './plugins/helm.ts';
import { loadReplacements } from './plugins/load-replacements.ts';
import type { Generator, PluginContext } from './plugins/plugin-context.ts';
import { imageTransformers } from './transformers/images.ts';
import { entriesTransformer } from './transformers/metadata-entries.ts';
import { nameAffixTransformer } from './transformers/name-affix.ts';
import { namespaceTransformer } from './transformers/namespace.ts';
import {
  json6902Transformer,
  patchTransformer,
  strategicMergeTransformer,
} from './transformers/patches.ts';
import { replacementTransformer } from './transformers/replacements.ts';
import { replicaTransformer } from './transformers/replicas.ts';
import type { Transformer } from './transformers/transformer.ts';
import { emitYaml } from './yaml/emit.ts';
import { fromJson, type JsonValue } from './yaml/json-value.ts';

/**
 * The generators that fields of a kustomization file ask for.
 *
 * @param helmNamespace - where charts go that do not say it: that of the kustomization, or of one above
 */
export function configuredGenerators(
  kustomization: Kustomization,
  context: PluginContext,
  helmNamespace: string,
): Generator[] {
  const inNamespace = <T extends { readonly namespace?: string }>(chart: T): T =>
    chart.namespace || helmNamespace === '' ? chart : { ...chart, namespace: helmNamespace };
  const { loader, schemas } = context;
  const globals = kustomization.generatorOptions;
  const withOptions = <T extends { options?: object }>(args: T): T => {
    const options = mergeGeneratorOptions(args.options, globals);
    return options === undefined ? args : { ...args, options };
  };
  return [
    ...(kustomization.configMapGenerator ?? []).map((args) => ({
      kind: 'ConfigMapGenerator',
      generate: () => [generateConfigMap(loader, withOptions(args), schemas)],
    })),
    ...(kustomization.secretGenerator ?? []).map((args) => ({
      kind: 'SecretGenerator',
      generate: () => [generateSecret(loader, withOptions(args), schemas)],
    })),
    ...(kustomization.helmCharts ?? [])
      .map(inNamespace)
      .map((chart) =>
        configure('HelmChartInflationGenerator', chart, () =>
          helmGenerator(chart, kustomization.helmGlobals ?? {}, context),
        ),
      ),
    ...(kustomization.helmChartInflationGenerator ?? []).map((args) =>
      configure('HelmChartInflationGenerator', args, () =>
        helmGenerator(inNamespace(chartOf(args)), oldGlobals(kustomization), context),
      ),
    ),
  ];
}

/** The transformers that fields of a kustomization file ask for, in the order in which they run. */
export function configuredTransformers(
  kustomization: Kustomization,
  config: TransformerConfig,
  context: PluginContext,
): Transformer[] {
  const { loader, schemas } = context;
  const merges = kustomization.patchesStrategicMerge ?? [];
  const { namespace = '', namePrefix = '', nameSuffix = '' } = kustomization;
  const replacements = kustomization.replacements ?? [];
  return [
    ...(merges.length === 0
      ? []
      : [
          configure('PatchStrategicMergeTransformer', { paths: merges }, () =>
            strategicMergeTransformer(merges, '', loader, schemas),
          ),
        ]),
    ...(kustomization.patches ?? []).map((patch) =>
      configure('PatchTransformer', patch, (text) =>
        patchTransformer(patch, loader, schemas, text),
      ),
    ),
    ...(namespace === '' ? [] : [namespaceTransformer({ namespace, specs: config.namespace })]),
    ...(namePrefix === '' ? [] : [nameAffixTransformer('prefix', namePrefix, config.namePrefix)]),
    ...(nameSuffix === '' ? [] : [nameAffixTransformer('suffix', nameSuffix, config.nameSuffix)]),
    ...(kustomization.labels ?? []).map((label) =>
      entriesTransformer('LabelTransformer', label.pairs ?? new Map(), labelSpecs(label, config)),
    ),
    // Runs for `labels` alone, too, and is counted among what changed a resource.
    ...(kustomization.commonLabels === undefined && (kustomization.labels ?? []).length === 0
      ? []
      : [
          entriesTransformer(
            'LabelTransformer',
            kustomization.commonLabels ?? new Map(),
            config.commonLabels,
          ),
        ]),
    ...(kustomization.commonAnnotations === undefined
      ? []
      : [
          entriesTransformer(
            'AnnotationsTransformer',
            kustomization.commonAnnotations,
            config.commonAnnotations,
          ),
        ]),
    ...(kustomization.patchesJson6902 ?? []).map((patch) =>
      configure('PatchJson6902Transformer', json6902Of(patch), () =>
        json6902Transformer(json6902Of(patch), loader),
      ),
    ),
    ...(kustomization.replicas ?? []).map((replica) =>
      replicaTransformer(replica, config.replicas),
    ),
    ...imageTransformers(kustomization.images ?? [], config.images),
    ...(replacements.length === 0
      ? []
      : [
          configure('ReplacementTransformer', { Replacements: replacements }, () =>
            replacementTransformer(loadReplacements(replacements, loader)),
          ),
        ]),
  ];
}

/** A chart in the spelling that came before `helmCharts`. */
function chartOf(args: HelmChartArgs): HelmChart {
  const { chartName, chartVersion, chartRepoUrl, values, valuesLocal, valuesMerge, releaseName } =
    args;
  return {
    ...(chartName === undefined ? {} : { name: chartName }),
    ...(chartVersion === undefined ? {} : { version: chartVersion }),
    ...(chartRepoUrl === undefined ? {} : { repo: chartRepoUrl }),
    ...(values === undefined ? {} : { valuesFile: values }),
    ...(valuesLocal === undefined ? {} : { valuesInline: valuesLocal }),
    ...(valuesMerge === undefined ? {} : { valuesMerge }),
    ...(releaseName === undefined ? {} : { releaseName }),
  };
}

/** Of directories that several charts name, the last one counts. */
function oldGlobals(kustomization: Kustomization): HelmGlobals {
  const all = kustomization.helmChartInflationGenerator ?? [];
  const chartHome = all.findLast((args) => args.chartHome)?.chartHome;
  const configHome = all.findLast((args) => args.helmHome)?.helmHome;
  return {
    ...kustomization.helmGlobals,
    ...(chartHome === undefined ? {} : { chartHome }),
    ...(configHome === undefined ? {} : { configHome }),
  };
}

function json6902Of(patch: Patch): Parameters<typeof json6902Transformer>[0] {
  return {
    ...(patch.target === undefined ? {} : { target: patch.target }),
    path: patch.path ?? '',
    jsonOp: patch.patch ?? '',
  };
}

function labelSpecs(label: Label, config: TransformerConfig): readonly FieldSpec[] {
  try {
    return mergedLabelSpecs(label, config);
  } catch (error) {
    throw wrap(error, 'failed to merge labels');
  }
}

function mergedLabelSpecs(label: Label, config: TransformerConfig): readonly FieldSpec[] {
  const own = label.fields ?? [];
  if (label.includeSelectors === true) return mergeSpecs(own, config.commonLabels);
  const configured = mergeSpecs(own, config.labels);
  const withTemplates =
    label.includeTemplates === true ? mergeSpecs(configured, config.templateLabels) : configured;
  return mergeSpecs(withTemplates, [{ path: 'metadata/labels', create: true }]);
}

/** Makes a plugin, and says with which configuration when that fails. */
function configure<T>(kind: string, config: object, make: (text: () => string) => T): T {
  const text = (): string => emitYaml(fromJson(jsonOf(config)));
  try {
    return make(text);
  } catch (error) {
    throw wrap(error, `trouble configuring builtin ${kind} with config: \`\n${text()}\``);
  }
}

function jsonOf(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') {
    return value;
  }
  if (Array.isArray(value)) return value.map(jsonOf);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return new Map(
    entries
      .filter(([, item]) => item !== undefined && item !== '')
      .map(([key, item]) => [String(key), jsonOf(item)]),
  );
}

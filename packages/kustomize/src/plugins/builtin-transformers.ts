import { parseLegacyYamlNode } from '@waygate/text';
import {
  bool,
  decode,
  int,
  list,
  type Shape,
  string,
  stringMap,
  strings,
  struct,
} from '../config/decode.ts';
import type { FieldSpec } from '../config/field-spec.ts';
import type { Image, Patch, ReplacementField, Replica } from '../config/kustomization.ts';
import { legacyOrder } from '../config/legacy-order.ts';
import {
  fieldSpecShape,
  imageShape,
  objectMetaShape,
  patchShape,
  replacementFieldShape,
  replicaShape,
  selectorShape,
} from '../config/shapes.ts';
import { addHashes } from '../hash.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { sortResources } from '../order.ts';
import type { Resource } from '../resource.ts';
import type { Selector } from '../selector/selector.ts';
import { imageTransformers } from '../transformers/images.ts';
import { entriesTransformer } from '../transformers/metadata-entries.ts';
import { nameAffixTransformer } from '../transformers/name-affix.ts';
import { namespaceTransformer, type SubjectMode } from '../transformers/namespace.ts';
import {
  json6902Transformer,
  patchTransformer,
  strategicMergeTransformer,
} from '../transformers/patches.ts';
import { replacementTransformer } from '../transformers/replacements.ts';
import { replicaTransformer } from '../transformers/replicas.ts';
import type { Transformer } from '../transformers/transformer.ts';
import { type ValueAddTarget, valueAddTransformer } from '../transformers/value-add.ts';
import { emitYaml } from '../yaml/emit.ts';
import { toJson, toLegacyJson } from '../yaml/json-value.ts';
import { checkAffixConfig } from './affix-config.ts';
import { loadReplacements } from './load-replacements.ts';
import type { PluginContext } from './plugin-context.ts';

type Make = (config: Resource, context: PluginContext) => Transformer;

function read<T>(config: Resource, shape: Shape): T {
  return readAs<T>('', config, shape);
}

/** Some plugins say before it what they were about. */
function readAs<T>(doing: string, config: Resource, shape: Shape): T {
  try {
    return decode<T>(toJson(config.node), shape, { isStrict: false });
  } catch (error) {
    throw wrap(error, `${doing}error unmarshaling JSON: while decoding JSON`);
  }
}

const specs = list(fieldSpecShape);

const patchPluginShape = { ...patchShape, name: 'PatchTransformerPlugin' } as Shape;

interface WithSpecs {
  readonly fieldSpecs?: readonly FieldSpec[];
}

/** The transformers that configuration files can name. */
export const builtinTransformers: Readonly<Record<string, Make>> = {
  AnnotationsTransformer: (config) => {
    const shape = struct('AnnotationsTransformerPlugin', {
      annotations: stringMap,
      fieldSpecs: specs,
    });
    const given = read<WithSpecs & { annotations?: Map<string, string> }>(config, shape);
    return entriesTransformer(
      'AnnotationsTransformer',
      given.annotations ?? new Map(),
      given.fieldSpecs ?? [],
    );
  },
  LabelTransformer: (config) => {
    const shape = struct('LabelTransformerPlugin', { labels: stringMap, fieldSpecs: specs });
    const given = read<WithSpecs & { labels?: Map<string, string> }>(config, shape);
    return entriesTransformer(
      'LabelTransformer',
      given.labels ?? new Map(),
      given.fieldSpecs ?? [],
    );
  },
  ImageTagTransformer: (config) => {
    const shape = struct('ImageTagTransformerPlugin', { imageTag: imageShape, fieldSpecs: specs });
    const given = read<WithSpecs & { imageTag?: Image }>(config, shape);
    return imageTransformers([given.imageTag ?? {}], given.fieldSpecs ?? [])[0]!;
  },
  NamespaceTransformer: (config) => {
    const shape = struct('NamespaceTransformerPlugin', {
      metadata: objectMetaShape,
      fieldSpecs: specs,
      unsetOnly: bool,
      setRoleBindingSubjects: string,
    });
    const given = readAs<
      WithSpecs & {
        metadata?: { namespace?: string };
        unsetOnly?: boolean;
        setRoleBindingSubjects?: string;
      }
    >('unmarshalling NamespaceTransformer config: ', config, shape);
    return namespaceTransformer({
      namespace: given.metadata?.namespace ?? '',
      specs: given.fieldSpecs ?? [],
      unsetOnly: given.unsetOnly ?? false,
      subjects: subjectMode(given.setRoleBindingSubjects ?? ''),
    });
  },
  PrefixTransformer: (config) => affix(config, 'prefix'),
  SuffixTransformer: (config) => affix(config, 'suffix'),
  PrefixSuffixTransformer: (config) => {
    const shape = struct('PrefixSuffix', { prefix: string, suffix: string, fieldSpecs: specs });
    const given = read<WithSpecs & { prefix?: string; suffix?: string }>(config, shape);
    const fieldSpecs = demandSpecs(given);
    const both = [
      nameAffixTransformer('prefix', given.prefix ?? '', fieldSpecs),
      nameAffixTransformer('suffix', given.suffix ?? '', fieldSpecs),
    ];
    return {
      kind: 'PrefixSuffixTransformer',
      transform: (resources) => {
        for (const transformer of both) transformer.transform(resources);
      },
    };
  },
  ReplicaCountTransformer: (config) => {
    const shape = struct('ReplicaCountTransformerPlugin', {
      replica: replicaShape,
      fieldSpecs: specs,
    });
    const given = read<WithSpecs & { replica?: Replica }>(config, shape);
    return replicaTransformer(given.replica ?? {}, given.fieldSpecs ?? []);
  },
  PatchTransformer: (config, context) =>
    patchTransformer(read<Patch>(config, patchPluginShape), context.loader, context.schemas, () =>
      emitYaml(config.node),
    ),
  PatchJson6902Transformer: (config, context) => {
    const shape = struct('PatchJson6902TransformerPlugin', {
      target: selectorShape,
      path: string,
      jsonOp: string,
    });
    const given = read<{ target?: Selector; path?: string; jsonOp?: string }>(config, shape);
    return json6902Transformer(given, context.loader);
  },
  PatchStrategicMergeTransformer: (config, context) => {
    const shape = struct('PatchStrategicMergeTransformerPlugin', {
      paths: strings,
      patches: string,
    });
    const given = read<{ paths?: string[]; patches?: string }>(config, shape);
    return strategicMergeTransformer(
      given.paths ?? [],
      given.patches ?? '',
      context.loader,
      context.schemas,
    );
  },
  ReplacementTransformer: (config, context) => {
    const shape = struct('ReplacementTransformerPlugin', {
      replacements: list(replacementFieldShape),
    });
    const given = read<{ replacements?: ReplacementField[] }>(config, shape);
    return replacementTransformer(loadReplacements(given.replacements ?? [], context.loader));
  },
  ValueAddTransformer: (config, context) => valueAdd(config, context),
  HashTransformer: () => ({
    kind: 'HashTransformer',
    transform: (resources) => addHashes(resources),
  }),
  LegacyOrderTransformer: () => ({
    kind: 'LegacyOrderTransformer',
    transform: (resources) => sortResources(resources, legacyOrder),
  }),
};

function affix(config: Resource, side: 'prefix' | 'suffix'): Transformer {
  checkAffixConfig(config, side);
  const shape = struct('Affix', { [side]: string, fieldSpecs: specs });
  const given = read<WithSpecs & { prefix?: string; suffix?: string }>(config, shape);
  return nameAffixTransformer(side, given[side] ?? '', demandSpecs(given));
}

function demandSpecs({ fieldSpecs }: WithSpecs): readonly FieldSpec[] {
  if (fieldSpecs !== undefined) return fieldSpecs;
  throw new KustomizeError('fieldSpecs is not expected to be nil');
}

function subjectMode(text: string): SubjectMode {
  if (text === '' || text === 'defaultOnly' || text === 'allServiceAccounts' || text === 'none') {
    return text;
  }
  throw new KustomizeError(
    `invalid value "${text}" for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"`,
  );
}

const valueAddTarget = struct('Target', {
  selector: selectorShape,
  fieldPath: string,
  filePathPosition: int,
});

const targetFile = struct('Targets', { targets: list(valueAddTarget) });

function valueAdd(config: Resource, context: PluginContext): Transformer {
  const shape = struct('ValueAddTransformerPlugin', {
    value: string,
    targets: { ...list(valueAddTarget), goName: '[]builtins.Target' } as Shape,
    targetFilePath: string,
  });
  const given = read<{ value?: string; targets?: ValueAddTarget[]; targetFilePath?: string }>(
    config,
    shape,
  );
  const targets = [...(given.targets ?? [])];
  if (given.targetFilePath !== undefined && given.targetFilePath !== '') {
    const node = parseLegacyYamlNode(context.loader.loadText(given.targetFilePath));
    const json = node === undefined ? new Map() : toLegacyJson(node);
    const file = decode<{ targets?: ValueAddTarget[] }>(json, targetFile, { isStrict: false });
    targets.push(...(file.targets ?? []));
  }
  if (targets.length === 0) throw new KustomizeError('must specify at least one target');
  for (const target of targets) {
    if (target.fieldPath === undefined || target.fieldPath === '') {
      throw new KustomizeError('fieldPath cannot be empty');
    }
  }
  const { root } = context.loader;
  return valueAddTransformer(given.value || root.slice(root.lastIndexOf('/') + 1), targets);
}

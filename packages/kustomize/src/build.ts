import { RegexError, YamlError } from '@waygate/text';
import { Accumulator } from './accumulator.ts';
import type { BuildLimits, BuildOptions } from './build-options.ts';
import { BuildResult } from './build-result.ts';
import { Explanations } from './explain.ts';
import type { FileSystem } from './file-system/file-system.ts';
import { addHashes } from './hash.ts';
import { KustomizeError } from './kustomize-error.ts';
import { Layer } from './layer.ts';
import type { LayerContext } from './layer-context.ts';
import { defaultLoaderLimits, Loader } from './loader.ts';
import { fixNameReferences } from './name-reference.ts';
import { applySortOptions } from './order.ts';
import {
  originAnnotation,
  originText,
  transformationsAnnotation,
  transformationsText,
} from './origin.ts';
import { causeNeeded, Outside } from './outside.ts';
import type { Problem } from './problem.ts';
import { checkMetadata } from './read-resources.ts';
import type { Resource } from './resource.ts';
import { ResourceList } from './resource-list.ts';
import { CurrentSchemas } from './schema-facts.ts';
import { entriesTransformer } from './transformers/metadata-entries.ts';
import { resolveVars } from './vars.ts';
import { JsonError } from './yaml/json-value.ts';

const defaultLimits: BuildLimits = {
  ...defaultLoaderLimits,
  maxResources: 200_000,
  maxLayers: 5_000,
};

/** The version of kustomize that builds are compatible with. */
const compatibleVersion = 'v5.8.1';

/**
 * Builds a kustomization, as `kustomize build` does. What is wrong with the input comes back as
 * problems; the promise is rejected only when `fetch` or `helm` is, or on a bug.
 *
 * ```ts
 * const result = await build(memoryFileSystem({ 'kustomization.yaml': '…' }), '/');
 * process.stdout.write(result.toYaml());
 * ```
 */
export async function build(
  fileSystem: FileSystem,
  directory: string,
  options: BuildOptions = {},
): Promise<BuildResult> {
  const outside = new Outside(options);
  return outside.supply(() => buildOnce(fileSystem, directory, options, outside));
}

/**
 * Builds without ever waiting: remote bases, charts and programs are refused.
 *
 * ```ts
 * const files = memoryFileSystem({ 'kustomization.yaml': 'configMapGenerator: [{name: a, literals: [b=c]}]' });
 * buildSync(files, '/').resources.length; // 1
 * ```
 */
export function buildSync(
  fileSystem: FileSystem,
  directory: string,
  options: Omit<BuildOptions, 'fetch' | 'helm' | 'programs'> = {},
): BuildResult {
  return buildOnce(fileSystem, directory, options, new Outside(options));
}

function buildOnce(
  fileSystem: FileSystem,
  directory: string,
  options: BuildOptions,
  outside: Outside,
): BuildResult {
  const problems: Problem[] = [];
  const explain = options.explain === true ? new Explanations() : undefined;
  try {
    const resources = run(fileSystem, directory, options, outside, problems, explain);
    return new BuildResult(resources, problems, explain);
  } catch (error) {
    if (causeNeeded(error) !== undefined) throw error;
    problems.push(problemOf(error));
    return new BuildResult([], problems, explain);
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof KustomizeError) {
    return {
      severity: 'error',
      code: error.code,
      message: error.message,
      ...(error.file === undefined ? {} : { file: error.file }),
      ...(error.line === undefined ? {} : { line: error.line }),
    };
  }
  if (error instanceof JsonError || error instanceof RegexError || error instanceof YamlError) {
    return { severity: 'error', code: 'WG_KUSTOMIZE_BUILD', message: error.message };
  }
  throw error;
}

function run(
  fileSystem: FileSystem,
  directory: string,
  options: BuildOptions,
  outside: Outside,
  problems: Problem[],
  explain: Explanations | undefined,
): readonly Resource[] {
  const context = newContext(options, outside, problems, explain);
  const loader = Loader.at(
    fileSystem,
    directory,
    {
      restrictor: options.loadRestrictor ?? 'LoadRestrictionsRootOnly',
      limits: { ...defaultLimits, ...options.limits },
      readBytes: 0,
      remote: outside.fetched,
    },
    options.shownAs,
  );
  const top = Layer.load(loader, context);
  const metadata = top.kustomization.buildMetadata ?? [];
  if (metadata.length > 0) top.setOrigin({});
  context.recordsTransformations = metadata.includes('transformerAnnotations');
  top.useSchemas(true);
  const gathered = top.accumulate(new Accumulator());
  const { resources } = gathered;
  addHashes(resources);
  explain?.step(resources, 'HashTransformer', undefined);
  fixNameReferences(resources, gathered.config.nameReference);
  explain?.step(resources, 'NameReferenceTransformer', undefined);
  const unused = resolveVars(gathered.vars.all, resources, gathered.config.varReference);
  if (unused.length > 0) {
    problems.push({
      severity: 'warning',
      code: 'WG_KUSTOMIZE_UNUSED_VAR',
      message: `well-defined vars that were never replaced: ${unused.join(',')}`,
    });
  }
  explain?.step(resources, 'RefVarTransformer', undefined);
  // A patch may have removed a name or a kind.
  for (const resource of resources) checkMetadata(resource.node);
  dropLocal(resources);
  order(resources, top, options);
  if (options.addManagedByLabel === true || metadata.includes('managedByLabel')) {
    const label = new Map([['app.kubernetes.io/managed-by', `kustomize-${compatibleVersion}`]]);
    entriesTransformer('LabelTransformer', label, [
      { path: 'metadata/labels', create: true },
    ]).transform(resources);
  }
  for (const resource of resources) finishAnnotations(resource, metadata);
  explain?.step(resources, 'AnnotationsTransformer', undefined);
  return resources.toArray();
}

function newContext(
  options: BuildOptions,
  outside: Outside,
  problems: Problem[],
  explain: Explanations | undefined,
): LayerContext {
  const limits: BuildLimits = { ...defaultLimits, ...options.limits };
  let layers = 0;
  let count = 0;
  const seen = new Set<string>();
  const tooMany = (what: string, limit: number): KustomizeError =>
    new KustomizeError(`the build has more than ${limit} ${what}`, { code: 'WG_KUSTOMIZE_LIMIT' });
  return {
    schemas: new CurrentSchemas(),
    explain,
    recordsTransformations: false,
    helm: outside.helm,
    programs: outside.programs,
    warn(message, file) {
      if (seen.has(`${file}\n${message}`)) return;
      seen.add(`${file}\n${message}`);
      problems.push({ severity: 'warning', code: 'WG_KUSTOMIZE_DEPRECATED', message, file });
    },
    enterLayer() {
      layers += 1;
      if (layers > limits.maxLayers) throw tooMany('layers', limits.maxLayers);
    },
    countResources(added) {
      count += added;
      if (count > limits.maxResources) throw tooMany('resources', limits.maxResources);
    },
  };
}

/** Objects that only configure tools stay out, unless they say `false`. */
function dropLocal(resources: ResourceList): void {
  resources.keep((resource) => {
    const value = resource.annotations().get('config.kubernetes.io/local-config');
    return value === undefined || value === 'false';
  });
  // A patch may have given two resources one name: the last chance to notice.
  new ResourceList().appendAll(resources);
}

function order(resources: ResourceList, top: Layer, options: BuildOptions): void {
  const given = top.kustomization.sortOptions;
  if (given !== undefined) applySortOptions(resources, given);
  else if (options.reorder !== 'none') applySortOptions(resources, undefined);
}

/** Annotations by which other tools talk to kustomize; they never come out. */
const internalAnnotations = [
  'internal.config.kubernetes.io/previousKinds',
  'internal.config.kubernetes.io/previousNames',
  'internal.config.kubernetes.io/previousNamespaces',
  'internal.config.kubernetes.io/prefixes',
  'internal.config.kubernetes.io/suffixes',
  'internal.config.kubernetes.io/refBy',
  'internal.config.kubernetes.io/generatorBehavior',
  'internal.config.kubernetes.io/needsHashSuffix',
  'internal.config.kubernetes.io/allowNameChange',
  'internal.config.kubernetes.io/allowKindChange',
  'internal.config.kubernetes.io/path',
  'internal.config.kubernetes.io/index',
  'internal.config.kubernetes.io/id',
  'internal.config.kubernetes.io/seqindent',
  'internal.config.kubernetes.io/annotations-migration-resource-id',
  'config.kubernetes.io/path',
  'config.kubernetes.io/index',
  'config.k8s.io/id',
];

function finishAnnotations(resource: Resource, metadata: readonly string[]): void {
  const keepsOrigin = metadata.includes('originAnnotations');
  const keepsTransformations = metadata.includes('transformerAnnotations');
  const annotations = resource.annotations();
  for (const name of internalAnnotations) annotations.delete(name);
  if (!keepsOrigin) annotations.delete(originAnnotation);
  else if (resource.origin !== undefined) {
    annotations.set(originAnnotation, originText(resource.origin));
  }
  if (!keepsTransformations) annotations.delete(transformationsAnnotation);
  else if (resource.transformations.length > 0) {
    annotations.set(transformationsAnnotation, transformationsText(resource.transformations));
  }
  resource.setAnnotations(annotations);
}

import { RegexError, YamlError } from '@waygate/text';
import { Accumulator } from './accumulator.ts';
import type { BuildLimits, BuildOptions, FetchedFiles } from './build-options.ts';
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
  ORIGIN_ANNOTATION,
  originText,
  TRANSFORMATIONS_ANNOTATION,
  transformationsText,
} from './origin.ts';
import type { HelmRequest, ProgramOutcome, ProgramRequest } from './plugins/plugin-context.ts';
import type { Problem } from './problem.ts';
import { checkMetadata } from './read-resources.ts';
import type { Resource } from './resource.ts';
import { ResourceList } from './resource-list.ts';
import { CurrentSchemas } from './schema-facts.ts';
import { entriesTransformer } from './transformers/metadata-entries.ts';
import { resolveVars } from './vars.ts';
import { JsonError } from './yaml/json-value.ts';

const DEFAULT_LIMITS: BuildLimits = {
  ...defaultLoaderLimits,
  maxResources: 200_000,
  maxLayers: 5_000,
};

/** The version of kustomize that builds are compatible with. */
const COMPATIBLE_VERSION = 'v5.8.1';

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
  const fetched = new Map<string, FetchedFiles>();
  const rendered = new Map<string, string>();
  const outcomes = new Map<string, ProgramOutcome>();
  // A build is a pure function of files. When it turns out to need one from elsewhere, that is
  // fetched, and the build starts over; so the steps themselves never wait.
  for (;;) {
    const outside: Outside = { fetched, rendered, outcomes };
    try {
      return buildOnce(fileSystem, directory, options, outside);
    } catch (error) {
      if (error instanceof Needed && error.url !== undefined && options.fetch !== undefined) {
        fetched.set(error.url, await options.fetch(error.url));
      } else if (error instanceof Needed && error.chart !== undefined && options.helm) {
        rendered.set(requestKey(error.chart), await options.helm(error.chart));
      } else if (error instanceof Needed && error.program !== undefined && options.programs) {
        outcomes.set(requestKey(error.program), await options.programs.run(error.program));
      } else {
        throw error;
      }
    }
  }
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
  return buildOnce(fileSystem, directory, options, {
    fetched: new Map(),
    rendered: new Map(),
    outcomes: new Map(),
  });
}

/** What earlier rounds have brought in. */
interface Outside {
  readonly fetched: ReadonlyMap<string, FetchedFiles>;
  readonly rendered: ReadonlyMap<string, string>;
  readonly outcomes: ReadonlyMap<string, ProgramOutcome>;
}

/** Thrown to say that the build cannot go on without something from outside. */
class Needed extends KustomizeError {
  readonly url: string | undefined;
  readonly chart: HelmRequest | undefined;
  readonly program: ProgramRequest | undefined;

  constructor(need: { url?: string; chart?: HelmRequest; program?: ProgramRequest }) {
    const what = need.url ?? need.chart?.chart.name ?? need.program?.path ?? '';
    super(`needs ${what}`, { code: 'WG_KUSTOMIZE_LIMIT' });
    this.url = need.url;
    this.chart = need.chart;
    this.program = need.program;
  }
}

function requestKey(request: HelmRequest | ProgramRequest): string {
  return JSON.stringify(request, (_key, value: unknown) =>
    value instanceof Map ? [...value] : typeof value === 'bigint' ? String(value) : value,
  );
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
    const needed = causeNeeded(error);
    if (needed !== undefined) throw needed;
    problems.push(problemOf(error));
    return new BuildResult([], problems, explain);
  }
}

function causeNeeded(error: unknown): Needed | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Needed) return cause;
  }
  return undefined;
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
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      readBytes: 0,
      remote: (url) => remote(url, options, outside),
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
    const label = new Map([['app.kubernetes.io/managed-by', `kustomize-${COMPATIBLE_VERSION}`]]);
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
  const limits: BuildLimits = { ...DEFAULT_LIMITS, ...options.limits };
  let layers = 0;
  let count = 0;
  const seen = new Set<string>();
  const tooMany = (what: string, limit: number): KustomizeError =>
    new KustomizeError(`the build has more than ${limit} ${what}`, { code: 'WG_KUSTOMIZE_LIMIT' });
  return {
    schemas: new CurrentSchemas(),
    explain,
    recordsTransformations: false,
    helm: options.helm === undefined ? undefined : (request) => renderedChart(request, outside),
    programs:
      options.programs === undefined
        ? undefined
        : { ...options.programs, run: (request) => programOutcome(request, outside) },
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

function renderedChart(request: HelmRequest, outside: Outside): string {
  const text = outside.rendered.get(requestKey(request));
  if (text === undefined) throw new Needed({ chart: request });
  return text;
}

function programOutcome(request: ProgramRequest, outside: Outside): ProgramOutcome {
  const outcome = outside.outcomes.get(requestKey(request));
  if (outcome === undefined) throw new Needed({ program: request });
  return outcome;
}

function remote(url: string, options: BuildOptions, outside: Outside): FetchedFiles {
  const files = outside.fetched.get(url);
  if (files !== undefined) return files;
  if (options.fetch !== undefined) throw new Needed({ url });
  throw new KustomizeError(
    `'${url}' is remote, and this build may not fetch: copy it into the repository, or give the build a fetcher`,
    { code: 'WG_KUSTOMIZE_REMOTE_REFUSED' },
  );
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
const INTERNAL_ANNOTATIONS = [
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
  for (const name of INTERNAL_ANNOTATIONS) annotations.delete(name);
  if (!keepsOrigin) annotations.delete(ORIGIN_ANNOTATION);
  else if (resource.origin !== undefined) {
    annotations.set(ORIGIN_ANNOTATION, originText(resource.origin));
  }
  if (!keepsTransformations) annotations.delete(TRANSFORMATIONS_ANNOTATION);
  else if (resource.transformations.length > 0) {
    annotations.set(TRANSFORMATIONS_ANNOTATION, transformationsText(resource.transformations));
  }
  resource.setAnnotations(annotations);
}

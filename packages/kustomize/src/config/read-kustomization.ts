import { parseLegacyYamlNode, YamlError } from '@waygate/text';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import { toLegacyJson } from '../yaml/json-value.ts';
import { decode, type Shape } from './decode.ts';
import type { GeneratorArgs, Kustomization } from './kustomization.ts';
import { kustomizationShape } from './shapes.ts';

const kustomizationVersion = 'kustomize.config.k8s.io/v1beta1';
const componentVersion = 'kustomize.config.k8s.io/v1alpha1';

/** A kustomization file, and what there is to say about its spelling. */
export interface ReadKustomization {
  readonly kustomization: Kustomization;
  readonly warnings: readonly string[];
}

/**
 * Reads a kustomization file as data. Throws a KustomizeError that names the field or the line.
 *
 * ```ts
 * readKustomization('resources: [a.yaml]\n').kustomization.resources; // ['a.yaml']
 * ```
 */
export function readKustomization(text: string, file?: string): ReadKustomization {
  const decoded = decodeYaml<Kustomization>(text, kustomizationShape, {
    isStrict: true,
    context: 'invalid Kustomization',
    file,
  });
  if (decoded === undefined) throw new KustomizeError('kustomization.yaml is empty', { file });
  const kustomization = modernize(decoded);
  checkNotEmpty(decoded, file);
  return { kustomization, warnings: deprecations(decoded) };
}

/** Decodes YAML configuration of the older kind; undefined when the text holds nothing. */
export function decodeYaml<T>(
  text: string,
  shape: Shape,
  options: { isStrict: boolean; context?: string; file?: string | undefined },
): T | undefined {
  try {
    const node = parseLegacyYamlNode(text, options.file);
    if (node === undefined) return undefined;
    const json = toLegacyJson(node);
    return json === null ? undefined : decode<T>(json, shape, options);
  } catch (error) {
    const prefix = options.context === undefined ? '' : `${options.context}: `;
    if (error instanceof YamlError) {
      throw new KustomizeError(`${prefix}${error.legacyMessage}`, {
        code: 'WG_KUSTOMIZE_MALFORMED_YAML',
        file: options.file,
        line: error.line,
        cause: error,
      });
    }
    if (options.context === undefined) throw error;
    throw wrap(error, options.context);
  }
}

/** Moves deprecated fields to those that took their place, and fills in the kind. */
export function modernize(given: Kustomization): Kustomization {
  const kind = given.kind || 'Kustomization';
  const { bases, imageTags, ...rest } = given;
  return {
    ...rest,
    kind,
    apiVersion:
      given.apiVersion || (kind === 'Component' ? componentVersion : kustomizationVersion),
    resources: [...(given.resources ?? []), ...(bases ?? [])],
    images: [...(given.images ?? []), ...(imageTags ?? [])],
    configMapGenerator: (given.configMapGenerator ?? []).map(modernizeArgs),
    secretGenerator: (given.secretGenerator ?? []).map(modernizeArgs),
  };
}

export function modernizeArgs(args: GeneratorArgs): GeneratorArgs {
  const { env, ...rest } = args;
  if (env === undefined || env === '') return rest;
  return { ...rest, envs: [...(args.envs ?? []), env] };
}

/** A file that names nothing to do is taken for a mistake; an empty list is something. */
function checkNotEmpty(kustomization: Kustomization, file: string | undefined): void {
  const { kind: _kind, apiVersion: _version, metadata: _metadata, ...rest } = kustomization;
  const isEmpty = Object.values(rest).every((value) => value === undefined || value === '');
  if (isEmpty) throw new KustomizeError('kustomization.yaml is empty', { file });
}

/** What is wrong with the kind and version of a file, if anything. */
export function checkKind(kustomization: Kustomization): string[] {
  const { kind = '', apiVersion = '' } = kustomization;
  const problems: string[] = [];
  if (kind !== 'Kustomization' && kind !== 'Component') {
    problems.push('kind should be Kustomization or Component');
  }
  const required = kind === 'Component' ? componentVersion : kustomizationVersion;
  if (apiVersion !== required) problems.push(`apiVersion for ${kind} should be ${required}`);
  return problems;
}

const editFix = "Run 'kustomize edit fix' to update your Kustomization automatically.";

const deprecatedFields: readonly (readonly [keyof Kustomization, string, string])[] = [
  ['bases', 'resources', editFix],
  ['commonLabels', 'labels', editFix],
  ['imageTags', 'images', editFix],
  ['patchesJson6902', 'patches', editFix],
  ['patchesStrategicMerge', 'patches', editFix],
  ['vars', 'replacements', `[EXPERIMENTAL] ${editFix}`],
];

function deprecations(given: Kustomization): string[] {
  return deprecatedFields
    .filter(([field]) => given[field] !== undefined)
    .map(
      ([field, replacement, fix]) =>
        `# Warning: '${field}' is deprecated. Please use '${replacement}' instead. ${fix}`,
    );
}

import { isKustomization } from '@waygate/apply';
import { isObject, parseYaml, parseYamlAll, printYaml } from '@waygate/text';
import type { KustomizationSpec } from '../api/kustomization-object.ts';
import { compareWalkOrder } from '../artifact/file-entry.ts';
import { type FileTree, normalized } from '../artifact/file-tree.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { knownFields } from './kustomization-fields.ts';

/** The names that kustomize looks for, in its order. */
const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

export interface GeneratedKustomization {
  readonly action: 'created' | 'unchanged';
  /** From the root of the tree, with a leading slash. */
  readonly file: string;
  readonly text: string;
}

type BuildSpec = Partial<
  Pick<
    KustomizationSpec,
    | 'targetNamespace'
    | 'namePrefix'
    | 'nameSuffix'
    | 'patches'
    | 'patchesStrategicMerge'
    | 'patchesJson6902'
    | 'images'
    | 'components'
    | 'ignoreMissingComponents'
    | 'buildMetadata'
  >
>;

/**
 * Writes the kustomization that is built into a tree: the one that is there, or one that lists all
 * manifests of the directory, with the fields of the spec merged in.
 *
 * ```ts
 * const tree = FileTree.of([{ path: 'app/web.yaml', content: Buffer.from('{apiVersion: v1, kind: Service, metadata: {name: web}}') }]);
 * generateKustomization(tree, '/app', { namePrefix: 'shop-' }).text; // 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamePrefix: shop-\nresources:\n- ./web.yaml\n'
 * ```
 *
 * @throws GitOpsError `WG_GITOPS_BUILD`
 */
export function generateKustomization(
  tree: FileTree,
  directory: string,
  spec: BuildSpec,
): GeneratedKustomization {
  const root = normalized(directory);
  const existing = fileNames.map((name) => join(root, name)).find((path) => tree.has(path));
  const file = existing ?? join(root, 'kustomization.yaml');
  const content =
    existing === undefined ? scanned(tree, root) : readExisting(tree.readText(existing), existing);
  merge(content, spec, (path) => tree.hasDirectory(join(root, path)));
  const text = printYaml(content);
  tree.write(file, text);
  return { action: existing === undefined ? 'created' : 'unchanged', file, text };
}

function readExisting(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseYaml(text, { duplicateKeys: 'last' }) ?? {};
  } catch (error) {
    throw problem(`failed to read ${file}: ${messageOf(error)}`, error);
  }
  if (!isObject(value)) throw problem(`failed to read ${file}: it is not a mapping`);
  const content: Record<string, unknown> = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
  };
  // What kustomize does not know it would refuse; Flux drops it, and people rely on that.
  for (const [key, one] of Object.entries(value)) {
    if (knownFields.has(key) && !isEmpty(one)) content[key] = one;
  }
  if (!Array.isArray(content.resources) || content.resources.length === 0) {
    content.buildMetadata = ['originAnnotations'];
  }
  return content;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** All manifests below a directory; one that has a kustomization of its own stands for its content. */
function scanned(tree: FileTree, root: string): Record<string, unknown> {
  const resources: string[] = [];
  const prefix = root === '/' ? '/' : `${root}/`;
  const whole = new Set<string>();
  const files = tree.list(root).map((path) => path.slice(prefix.length));
  for (const path of files) {
    const slash = path.lastIndexOf('/');
    if (slash >= 0 && fileNames.includes(path.slice(slash + 1))) whole.add(path.slice(0, slash));
  }
  for (const path of files.sort(compareWalkOrder)) {
    const parent = outermost(path, whole);
    if (parent !== undefined) {
      if (!resources.includes(`./${parent}`)) resources.push(`./${parent}`);
      continue;
    }
    if (!/\.ya?ml$/.test(path) || isProjectFile(tree, prefix + path)) continue;
    checkManifest(tree.readText(prefix + path), prefix + path);
    resources.push(`./${path}`);
  }
  const content: Record<string, unknown> = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
  };
  if (resources.length > 0) content.resources = resources;
  else content.namespace = '_placeholder';
  return content;
}

/** What `waygate up` reads beside the manifests: it says how a laptop stands in for the cluster, and is no object. */
function isProjectFile(tree: FileTree, path: string): boolean {
  if (!path.endsWith('/waygate.yaml')) return false;
  try {
    const value = parseYaml(tree.readText(path), { duplicateKeys: 'last' });
    return !isObject(value) || (value.apiVersion === undefined && value.kind === undefined);
  } catch {
    // One that is being written must not keep the manifests from being applied.
    return true;
  }
}

function outermost(path: string, directories: ReadonlySet<string>): string | undefined {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    if (directories.has(path.slice(0, slash))) return path.slice(0, slash);
  }
  return undefined;
}

/** A file that is no manifest is more likely a mistake than something to be left out in silence. */
function checkManifest(text: string, path: string): void {
  const failed = (why: string, cause?: unknown) =>
    problem(`failed to decode Kubernetes YAML from ${path}: ${why}`, cause);
  let values: unknown[];
  try {
    values = parseYamlAll(text, { duplicateKeys: 'last' });
  } catch (error) {
    throw failed(messageOf(error), error);
  }
  for (const value of values) checkResource(value, failed);
}

function checkResource(value: unknown, failed: (why: string) => GitOpsError): void {
  if (!isObject(value)) throw failed('missing Resource metadata');
  if (isKustomization(value)) return;
  if (typeof value.kind === 'string' && value.kind.endsWith('List')) {
    if (Array.isArray(value.items)) return;
  }
  if (!isObject(value.metadata)) throw failed('missing Resource metadata');
  if (typeof value.kind !== 'string' || value.kind === '') throw failed('missing kind in object');
  const { name } = value.metadata;
  if (typeof name !== 'string' || name === '') throw failed('missing metadata.name in object');
}

function merge(
  content: Record<string, unknown>,
  spec: BuildSpec,
  hasDirectory: (path: string) => boolean,
): void {
  if (isSet(spec.targetNamespace)) content.namespace = spec.targetNamespace;
  if (isSet(spec.namePrefix)) content.namePrefix = spec.namePrefix;
  if (isSet(spec.nameSuffix)) content.nameSuffix = spec.nameSuffix;
  append(content, 'patches', spec.patches ?? []);
  append(
    content,
    'patchesStrategicMerge',
    (spec.patchesStrategicMerge ?? []).map((one) => (isObject(one) ? printYaml(one) : one)),
  );
  append(
    content,
    'patchesJson6902',
    (spec.patchesJson6902 ?? []).map(({ patch, target }) => ({ patch: printYaml(patch), target })),
  );
  const components = spec.components ?? [];
  for (const path of components) checkComponent(path);
  append(
    content,
    'components',
    spec.ignoreMissingComponents === true ? components.filter(hasDirectory) : components,
  );
  if ((spec.buildMetadata ?? []).length > 0) content.buildMetadata = spec.buildMetadata;
  mergeImages(content, spec.images ?? []);
}

function append(content: Record<string, unknown>, field: string, items: readonly unknown[]): void {
  if (items.length === 0) return;
  const given = content[field];
  content[field] = [...(Array.isArray(given) ? given : []), ...items];
}

/** By name; a tag and a digest are one unit, as they say the same thing. */
function mergeImages(
  content: Record<string, unknown>,
  images: readonly { name: string; newName?: string; newTag?: string; digest?: string }[],
): void {
  if (images.length === 0) return;
  const merged: Record<string, unknown>[] = Array.isArray(content.images)
    ? content.images.filter(isObject).map((one) => ({ ...one }))
    : [];
  for (const image of images) {
    const found = merged.find(({ name }) => name === image.name);
    if (found === undefined) {
      merged.push({ ...image });
      continue;
    }
    if (isSet(image.newName)) found.newName = image.newName;
    if (!isSet(image.newTag) && !isSet(image.digest)) continue;
    delete found.newTag;
    delete found.digest;
    if (isSet(image.newTag)) found.newTag = image.newTag;
    if (isSet(image.digest)) found.digest = image.digest;
  }
  content.images = merged;
}

/** A component is part of the artifact: a spec must not bring in what nobody verified. */
function checkComponent(path: string): void {
  // A URL that names no place is left to the build, which refuses it in its own words.
  if (/^file:\/\/[^/]/.test(path)) return;
  const isRemote =
    /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ||
    /^[^/]*@?[^/]*:/.test(path) ||
    /^(github\.com|gitlab\.com|bitbucket\.org)\//i.test(path);
  if (isRemote || path.startsWith('/')) {
    throw problem(`component path '${path}' must be local and relative`);
  }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function join(directory: string, name: string): string {
  return normalized(`${directory}/${name}`);
}

function problem(message: string, cause?: unknown): GitOpsError {
  return new GitOpsError('WG_GITOPS_BUILD', message, { cause });
}

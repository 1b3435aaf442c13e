import {
  compileAnchoredRegex,
  goQuote,
  isMissingOrEmpty,
  newScalar,
  type YamlNode,
} from '@waygate/text';
import type {
  FieldOptions,
  Replacement,
  SourceSelector,
  TargetSelector,
} from '../config/kustomization.ts';
import { lookUp, matchPath, splitFieldPath } from '../field-path.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import type { Resource } from '../resource.ts';
import { effectiveNamespace, idString, type ResourceId } from '../resource-id.ts';
import { compileLabelSelector } from '../selector/label-selector.ts';

import type { Selector } from '../selector/selector.ts';
import { setInStructuredText } from './structured-text.ts';
import type { Transformer } from './transformer.ts';

const namePath = 'metadata.name';

/** Copies values from fields of one resource to fields of others. */
export function replacementTransformer(replacements: readonly Replacement[]): Transformer {
  return {
    kind: 'ReplacementTransformer',
    transform(resources) {
      for (const replacement of replacements) {
        replace(resources.toArray(), replacement);
        resources.reindex();
      }
      resources.refuseDuplicates();
    },
  };
}

function replace(resources: readonly Resource[], replacement: Replacement): void {
  const { source, sourceValue, targets } = replacement;
  const hasValue = sourceValue !== undefined && sourceValue !== null;
  if (source !== undefined && hasValue) {
    throw new KustomizeError('value and resource selectors are mutually exclusive');
  }
  if ((source === undefined && !hasValue) || targets === undefined) {
    throw new KustomizeError('replacements must specify a source and at least one target');
  }
  const value =
    source === undefined ? newScalar(String(sourceValue)) : sourceNode(resources, source);
  for (const target of targets) apply(resources, value, target);
}

function sourceNode(resources: readonly Resource[], source: SourceSelector): YamlNode {
  const found = resources.filter((resource) =>
    resource.allIds.some((id) => isSelected(id, source)),
  );
  if (found.length === 0) throw new KustomizeError(`nothing selected by ${sourceString(source)}`);
  if (found.length > 1) {
    throw new KustomizeError(`multiple matches for selector ${sourceString(source)}`);
  }
  const path = source.fieldPath || namePath;
  const node = lookUp(found[0]!.node, splitFieldPath(path));
  if (node === undefined || isMissingOrEmpty(node)) {
    throw new KustomizeError(
      `fieldPath \`${path}\` is missing for replacement source ${idString(source)}`,
    );
  }
  return part(node, source.options);
}

function sourceString(source: SourceSelector): string {
  const parts = [idString(source)];
  if (source.fieldPath !== undefined && source.fieldPath !== '') parts.push(source.fieldPath);
  const options = optionsString(source.options);
  if (options !== '') parts.push(options);
  return parts.join(':');
}

function optionsString(options: FieldOptions | undefined): string {
  const parts: string[] = [];
  if (options?.delimiter !== undefined && options.delimiter !== '') {
    parts.push(`delimiter="${options.delimiter}"`, `index=${options.index ?? 0}`);
  }
  if (options?.create === true) parts.push('create=true');
  return parts.join(', ');
}

/** The piece of a value that `delimiter` and `index` name. */
function part(node: YamlNode, options: FieldOptions | undefined): YamlNode {
  if (options?.delimiter === undefined || options.delimiter === '') return node;
  if (node.kind !== 'scalar') {
    throw new KustomizeError('delimiter option can only be used with scalar nodes');
  }
  const pieces = node.value.split(options.delimiter);
  const index = options.index ?? 0;
  if (index >= pieces.length || index < 0) {
    throw new KustomizeError(`options.index ${index} is out of bounds for value ${node.value}`);
  }
  const copy = node.copy();
  copy.value = pieces[index]!;
  return copy;
}

/** An absent part of a selector stands for any. */
function isSelected(id: ResourceId, selector: Selector): boolean {
  const fits = (wanted: string | undefined, actual: string): boolean =>
    wanted === undefined || wanted === '' || wanted === actual;
  return (
    fits(selector.namespace, effectiveNamespace(id)) &&
    fits(selector.name, id.name) &&
    fits(selector.group, id.group) &&
    fits(selector.version, id.version) &&
    fits(selector.kind, id.kind)
  );
}

function apply(resources: readonly Resource[], value: YamlNode, target: TargetSelector): void {
  const { select } = target;
  if (select === undefined) throw new KustomizeError('target must specify resources to select');
  const paths =
    target.fieldPaths === undefined || target.fieldPaths.length === 0
      ? [namePath]
      : target.fieldPaths;
  const hasLabels = labelMatcher(select);
  const hasId = idMatcher(select);
  const rejects = (target.reject ?? []).map(rejecter);
  for (const resource of resources) {
    if (!hasLabels(resource) || rejects.some((isRejected) => isRejected(resource))) continue;
    if (!resource.allIds.some(hasId)) continue;
    for (const path of paths) copyTo(resource, path, value, target.options);
  }
}

/** Targets are named by expressions that have to match as a whole. */
function idMatcher(selector: Selector): (id: ResourceId) => boolean {
  const namespace = compileAnchoredRegex(selector.namespace ?? '');
  const name = compileAnchoredRegex(selector.name ?? '');
  const group = compileAnchoredRegex(selector.group ?? '');
  const version = compileAnchoredRegex(selector.version ?? '');
  const kind = compileAnchoredRegex(selector.kind ?? '');
  return (id) =>
    kind(id.kind) &&
    name(id.name) &&
    namespace(effectiveNamespace(id)) &&
    group(id.group) &&
    version(id.version);
}

function labelMatcher(selector: Selector): (resource: Resource) => boolean {
  const { labelSelector = '', annotationSelector = '' } = selector;
  const labels = labelSelector === '' ? undefined : compileLabelSelector(labelSelector);
  const annotations =
    annotationSelector === '' ? undefined : compileLabelSelector(annotationSelector);
  return (resource) =>
    (labels === undefined || labels(resource.labels())) &&
    (annotations === undefined || annotations(resource.annotations()));
}

function rejecter(selector: Selector): (resource: Resource) => boolean {
  const hasLabels = labelMatcher(selector);
  const hasId = idMatcher(selector);
  const namesLabels = Boolean(selector.labelSelector || selector.annotationSelector);
  const namesId = Boolean(
    selector.name || selector.namespace || selector.kind || selector.group || selector.version,
  );
  return (resource) =>
    (namesLabels && hasLabels(resource)) || (namesId && resource.allIds.some(hasId));
}

function copyTo(
  resource: Resource,
  path: string,
  value: YamlNode,
  options: FieldOptions | undefined,
): void {
  const creates = options?.create === true;
  const problem = `unable to find ${creates ? 'or create ' : ''}field ${goQuote(path)} in replacement target`;
  const parts = splitFieldPath(path);
  const createKind = creates ? value.kind : undefined;
  if (setInStructuredText(resource.node, parts, value, createKind)) return;
  if (creates) resource.openAnnotations();
  let fields: YamlNode[];
  try {
    fields = matchPath(resource.node, parts, createKind);
  } catch (error) {
    throw wrap(error, problem);
  }
  if (fields.length === 0) {
    throw new KustomizeError(problem, { file: resource.file, line: resource.line });
  }
  for (const field of fields) setField(field, value, options);
}

/** A scalar keeps the type it has; only its text is replaced. */
function setField(field: YamlNode, given: YamlNode, options: FieldOptions | undefined): void {
  const value = given.copy();
  if (options?.delimiter !== undefined && options.delimiter !== '') {
    if (field.kind !== 'scalar') {
      throw new KustomizeError('delimiter option can only be used with scalar nodes');
    }
    const pieces = field.value.split(options.delimiter);
    const index = options.index ?? 0;
    if (index < 0) pieces.unshift(value.value);
    else if (index >= pieces.length) pieces.push(value.value);
    else pieces[index] = value.value;
    value.value = pieces.join(options.delimiter);
  }
  if (field.kind === 'scalar') field.value = value.value;
  else field.become(value);
}

import { compileAnchoredRegex } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import type { Resource } from '../resource.ts';
import { effectiveNamespace, type ResourceId } from '../resource-id.ts';
import { compileLabelSelector, type LabelMatcher } from './label-selector.ts';

/** What a patch's `target` may ask for; every name is a regular expression. */
export interface Selector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly annotationSelector?: string;
}

/**
 * Selects resources by what they are. The name and the namespace may also be those that a resource was read
 * with, each for itself; what it was called in between does not count.
 */
export function compileSelector(selector: Selector): (resource: Resource) => boolean {
  const group = compilePart(selector.group);
  const version = compilePart(selector.version);
  const kind = compilePart(selector.kind);
  const name = compilePart(selector.name);
  const namespace = compilePart(selector.namespace);
  const labels = optionalSelector(selector.labelSelector);
  const annotations = optionalSelector(selector.annotationSelector);
  return (resource) => {
    const { id, originalId } = resource;
    const matches = (part: (text: string) => boolean, of: (id: ResourceId) => string): boolean =>
      part(of(originalId)) || part(of(id));
    return (
      matches(namespace, effectiveNamespace) &&
      matches(name, (each) => each.name) &&
      group(id.group) &&
      version(id.version) &&
      kind(id.kind) &&
      (labels === undefined || labels(resource.labels())) &&
      (annotations === undefined || annotations(resource.annotations()))
    );
  };
}

function optionalSelector(selector: string | undefined): LabelMatcher | undefined {
  return selector === undefined || selector === '' ? undefined : compileLabelSelector(selector);
}

function compilePart(pattern: string | undefined): (text: string) => boolean {
  try {
    return compileAnchoredRegex(pattern ?? '');
  } catch (error) {
    throw new KustomizeError((error as Error).message, { cause: error });
  }
}

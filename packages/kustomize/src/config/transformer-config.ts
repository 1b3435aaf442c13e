import { KustomizeError } from '../kustomize-error.ts';
import type { FieldSpec } from './field-spec.ts';
import { legacyOrder } from './legacy-order.ts';

/** The fields that hold the names of resources of one kind. */
export interface NameReference {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly fieldSpecs: readonly FieldSpec[];
}

/** Which fields the transformers touch: the defaults, and what `configurations` and `crds` add. */
export interface TransformerConfig {
  readonly namePrefix: readonly FieldSpec[];
  readonly nameSuffix: readonly FieldSpec[];
  readonly namespace: readonly FieldSpec[];
  readonly commonLabels: readonly FieldSpec[];
  readonly labels: readonly FieldSpec[];
  readonly templateLabels: readonly FieldSpec[];
  readonly commonAnnotations: readonly FieldSpec[];
  readonly nameReference: readonly NameReference[];
  readonly varReference: readonly FieldSpec[];
  readonly images: readonly FieldSpec[];
  readonly replicas: readonly FieldSpec[];
}

export const emptyConfig: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  commonAnnotations: [],
  nameReference: [],
  varReference: [],
  images: [],
  replicas: [],
};

/** Adds one configuration to another; specs that contradict each other are an error. */
export function mergeConfigs(a: TransformerConfig, b: TransformerConfig): TransformerConfig {
  if (b === emptyConfig || a === b) return a;
  // An empty list takes specs in one by one, too: a general one after a particular one is lost.
  const merge = (title: string, x: readonly FieldSpec[], y: readonly FieldSpec[]) =>
    x === y || y.length === 0 ? x : sorted(mergeSpecs(x, y, title));
  return {
    namePrefix: merge('NamePrefix', a.namePrefix, b.namePrefix),
    nameSuffix: merge('NameSuffix', a.nameSuffix, b.nameSuffix),
    namespace: merge('NameSpace', a.namespace, b.namespace),
    commonLabels: merge('CommonLabels', a.commonLabels, b.commonLabels),
    labels: merge('Labels', a.labels, b.labels),
    templateLabels: merge('TemplateLabels', a.templateLabels, b.templateLabels),
    commonAnnotations: merge('CommonAnnotations', a.commonAnnotations, b.commonAnnotations),
    nameReference: mergeReferences(a.nameReference, b.nameReference),
    varReference: merge('VarReference', a.varReference, b.varReference),
    images: merge('Images', a.images, b.images),
    replicas: merge('Replicas', a.replicas, b.replicas),
  };
}

/** Joins two lists of specs. One that a more particular spec of the first covers is left out. */
export function mergeSpecs(
  a: readonly FieldSpec[],
  b: readonly FieldSpec[],
  title?: string,
): readonly FieldSpec[] {
  const result = [...a];
  const byPath = new Map<string, FieldSpec[]>();
  const note = (spec: FieldSpec): void => {
    const list = byPath.get(spec.path);
    if (list === undefined) byPath.set(spec.path, [spec]);
    else list.push(spec);
  };
  for (const spec of a) note(spec);
  for (const spec of b) {
    const existing = byPath.get(spec.path)?.find((other) => covers(other, spec));
    if (existing === undefined) {
      note(spec);
      result.push(spec);
    } else if ((existing.create === true) !== (spec.create === true)) {
      const context = title === undefined ? '' : `failed to merge ${title} fieldSpec: `;
      throw new KustomizeError(`${context}conflicting fieldspecs`);
    }
  }
  return result;
}

/** Whether a spec is of the kinds that another speaks of, or of some of them. */
function covers(spec: FieldSpec, other: FieldSpec): boolean {
  const fits = (wanted: string | undefined, actual: string | undefined): boolean =>
    wanted === undefined || wanted === '' || wanted === actual;
  return (
    fits(other.group, spec.group) &&
    fits(other.version, spec.version) &&
    fits(other.kind, spec.kind)
  );
}

function mergeReferences(
  a: readonly NameReference[],
  b: readonly NameReference[],
): readonly NameReference[] {
  if (a === b) return a;
  const key = (reference: NameReference): string =>
    `${reference.group ?? ''}|${reference.version ?? ''}|${reference.kind ?? ''}`;
  const result = new Map(a.map((reference) => [key(reference), reference]));
  for (const reference of b) {
    const existing = result.get(key(reference));
    result.set(
      key(reference),
      existing === undefined
        ? reference
        : {
            ...existing,
            fieldSpecs: mergeSpecs(existing.fieldSpecs, reference.fieldSpecs, 'NameReference'),
          },
    );
  }
  return sorted([...result.values()]);
}

interface OfKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

const ranks = new Map<string, number>([
  ...legacyOrder.orderFirst.map((kind, index) => [kind, index - 100] as const),
  ...legacyOrder.orderLast.map((kind, index) => [kind, index + 1] as const),
]);

/** In the order of kinds, so that the outcome does not depend on who said what first. */
function sorted<T extends OfKind>(specs: readonly T[]): readonly T[] {
  return [...specs].sort(compareKinds);
}

function compareKinds(a: OfKind, b: OfKind): number {
  const rank = (ranks.get(a.kind ?? '') ?? 0) - (ranks.get(b.kind ?? '') ?? 0);
  if (rank !== 0) return rank;
  const text = (of: OfKind): string =>
    `${of.group || '~G'}_${of.version || '~V'}_${of.kind || '~K'}`;
  return text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0;
}

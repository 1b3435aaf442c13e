import type { CustomResourceDefinition } from '../api/machinery.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A column that `kubectl get` prints. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'date' | 'boolean' | 'integer';
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

/** What is particular to one kind; the rest of its definition follows. */
export interface DefinitionParts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: string[] | undefined;
  /** Names under which `kubectl get` lists this kind together with others. */
  readonly categories: string[];
  readonly annotations?: Record<string, string>;
  readonly isClusterScoped?: boolean;
  /** Fields beside apiVersion, kind and metadata. */
  readonly properties: Record<string, StructuralSchema>;
  readonly required?: string[];
  readonly rules?: readonly (readonly [rule: string, message: string])[];
  readonly hasStatus?: boolean;
  readonly columns?: readonly PrinterColumn[];
}

/** When the object was made: the last column of nearly every kind. */
export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

/**
 * The definition of a kind in one version that is served and stored.
 *
 * @example
 * customResourceDefinition({
 *   group: 'example.com', version: 'v1', kind: 'Bell', plural: 'bells', categories: [],
 *   properties: { spec: structural.record({ tone: structural.text }) },
 * });
 */
export function customResourceDefinition(parts: DefinitionParts): CustomResourceDefinition {
  const { group, version, kind, plural, shortNames, annotations, rules = [] } = parts;
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...parts.properties,
    },
    ...(parts.required === undefined ? {} : { required: parts.required }),
    ...(rules.length === 0
      ? {}
      : { 'x-kubernetes-validations': rules.map(([rule, message]) => ({ rule, message })) }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations }) },
    spec: {
      group,
      names: {
        categories: parts.categories,
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames === undefined ? {} : { shortNames }),
        singular: kind.toLowerCase(),
      },
      scope: parts.isClusterScoped ? 'Cluster' : 'Namespaced',
      versions: [
        {
          ...(parts.columns === undefined ? {} : { additionalPrinterColumns: [...parts.columns] }),
          name: version,
          schema: { openAPIV3Schema: schema },
          served: true,
          storage: true,
          ...(parts.hasStatus === false ? {} : { subresources: { status: {} } }),
        },
      ],
    },
  };
}

import type { CustomResourceDefinition } from '@waygate/schema';
import type { StructuralSchema } from './structural-schema.ts';

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
  readonly shortNames?: string[];
  readonly isClusterScoped?: boolean;
  /** Fields beside apiVersion, kind and metadata. */
  readonly properties: Record<string, StructuralSchema>;
  readonly required?: string[];
  readonly rules?: readonly (readonly [rule: string, message: string])[];
  readonly hasStatus?: boolean;
  readonly columns?: readonly PrinterColumn[];
}

export type { CustomResourceDefinition };

export const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

export const programmed: PrinterColumn = {
  name: 'Programmed',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Programmed")].status',
};

export function definition(parts: DefinitionParts): CustomResourceDefinition {
  const { group, version, kind, plural, shortNames, rules = [] } = parts;
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
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        categories: ['kong-ingress-controller'],
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

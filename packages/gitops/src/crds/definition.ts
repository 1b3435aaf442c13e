import type { CustomResourceDefinition } from '@waygate/schema';
import type { StructuralSchema } from './schema-parts.ts';

export type { CustomResourceDefinition };

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
}

export interface DefinitionParts {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: string[];
  readonly category: string;
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
  readonly columns: readonly PrinterColumn[];
}

export const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
};

export const ready: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
];

/** The API that people write, `v1`; substitution leaves the definition itself alone. */
export function definition(parts: DefinitionParts): CustomResourceDefinition {
  const { group, kind, plural, shortNames, category, spec, status, columns } = parts;
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status,
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' },
    },
    spec: {
      group,
      names: {
        categories: ['all', 'fluxcd', category],
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames === undefined ? {} : { shortNames }),
        singular: kind.toLowerCase(),
      },
      scope: 'Namespaced',
      versions: [
        {
          additionalPrinterColumns: [...columns],
          name: 'v1',
          schema: { openAPIV3Schema: schema },
          served: true,
          storage: true,
          subresources: { status: {} },
        },
      ],
    },
  };
}

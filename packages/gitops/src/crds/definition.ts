import {
  ageColumn,
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
  type StructuralSchema,
} from '@waygate/schema';

export type { CustomResourceDefinition };

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

export const age: PrinterColumn = ageColumn;

export const ready: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message' },
];

/** The API that people write, `v1`; substitution leaves the definition itself alone. */
export function definition(parts: DefinitionParts): CustomResourceDefinition {
  const { group, kind, plural, shortNames, category, spec, status, columns } = parts;
  return customResourceDefinition({
    group,
    version: 'v1',
    kind,
    plural,
    shortNames,
    categories: ['all', 'fluxcd', category],
    annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' },
    properties: { spec, status },
    columns,
  });
}

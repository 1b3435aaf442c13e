import {
  type DefinitionParts as AllParts,
  ageColumn,
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
} from '@waygate/schema';

export type { CustomResourceDefinition };
export type DefinitionParts = Omit<AllParts, 'categories'>;

export const age: PrinterColumn = ageColumn;

export const programmed: PrinterColumn = {
  name: 'Programmed',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Programmed")].status',
};

/** A kind that `kubectl get kong-ingress-controller` lists. */
export function definition(parts: DefinitionParts): CustomResourceDefinition {
  return customResourceDefinition({ ...parts, categories: ['kong-ingress-controller'] });
}

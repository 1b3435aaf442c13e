import { definitionStrategy } from '../crd/definition-strategy.ts';
import type { Strategy } from '../resources/resource.ts';
import { namespaceStrategy } from './namespace.ts';

/** What is particular to built-in kinds, by `plural` or `plural.group`. */
export const builtinStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  'customresourcedefinitions.apiextensions.k8s.io': definitionStrategy,
  namespaces: namespaceStrategy,
};

import type { DynamicObject } from '@waygate/schema';
import type { JsonSchema } from './json-schema.ts';

interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

interface DefinitionConversion {
  readonly strategy: string;
  readonly webhook?: {
    readonly clientConfig?: object;
    readonly conversionReviewVersions?: readonly string[];
  };
}

/** A CustomResourceDefinition. */
export interface Definition extends DynamicObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: DefinitionNames;
    versions: DefinitionVersion[];
    conversion?: DefinitionConversion;
    preserveUnknownFields?: boolean;
  };
  status: {
    conditions: DefinitionCondition[] | null;
    acceptedNames: DefinitionNames;
    storedVersions: string[];
  };
}

export const definitionCollection = 'apiextensions.k8s.io/customresourcedefinitions';
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function conditionOf(
  definition: Readonly<DynamicObject>,
  type: string,
): DefinitionCondition | undefined {
  const status = (definition as Definition).status;
  return status?.conditions?.find((condition) => condition.type === type);
}

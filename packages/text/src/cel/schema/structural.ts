import { oncePer } from '../../once-per.ts';
/** The part of a structural schema that expressions depend on. */
export interface CelSchema {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly properties?: Readonly<Record<string, CelSchema>> | undefined;
  readonly additionalProperties?: CelSchema | boolean | undefined;
  readonly items?: CelSchema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: string | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
}

/** The schema of the values of a map. */
export function valuesOf({ additionalProperties }: CelSchema): CelSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const text: CelSchema = { type: 'string' };
const metadata: CelSchema = { type: 'object', properties: { name: text, generateName: text } };
const completed = oncePer(
  (schema: CelSchema): CelSchema => ({
    ...schema,
    properties: { ...schema.properties, kind: text, apiVersion: text, metadata },
  }),
);

/**
 * An object of Kubernetes has a kind, an apiVersion and a name, whatever its schema says.
 *
 * ```ts
 * Object.keys(withObjectMeta({ type: 'object', properties: { spec: { type: 'object' } } }).properties ?? {}); // ['spec', 'kind', 'apiVersion', 'metadata']
 * ```
 */
export function withObjectMeta(schema: CelSchema): CelSchema {
  const { kind, apiVersion, metadata: own } = schema.properties ?? {};
  const isComplete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    own?.type === 'object' &&
    own.properties?.name?.type === 'string' &&
    own.properties.generateName?.type === 'string';
  if (isComplete) return schema;
  return completed(schema);
}
